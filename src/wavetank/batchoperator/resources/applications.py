"""The kinds of applications that the Spark and Flink operators manage."""

from __future__ import annotations

SPARK_VERSION = "sparkoperator.k8s.io/v1beta2"
FLINK_CLUSTER_VERSION = "flinkoperator.k8s.io/v1beta1"
FLINK_DEPLOYMENT_VERSION = "flink.apache.org/v1beta1"

SPARK_APPLICATION = "SparkApplication.sparkoperator.k8s.io"
FLINK_CLUSTER = "FlinkCluster.flinkoperator.k8s.io"
FLINK_DEPLOYMENT = "FlinkDeployment.flink.apache.org"
APPLICATIONS = (SPARK_APPLICATION, FLINK_CLUSTER, FLINK_DEPLOYMENT)
