// Reads documents, one JSON object in a line, and says what the strategies of the real API server make of each:
// what is wrong with it, what its author is warned of, and the document as it would be stored.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

var strategies = map[string]strategy{
	"Pod":                     pod.Strategy,
	"PodTemplate":             podtemplate.Strategy,
	"ReplicationController":   replicationcontroller.Strategy,
	"Namespace":               namespace.Strategy,
	"Node":                    node.Strategy,
	"ConfigMap":               configmap.Strategy,
	"Secret":                  secret.Strategy,
	"ServiceAccount":          serviceaccount.Strategy,
	"PersistentVolume":        persistentvolume.Strategy,
	"PersistentVolumeClaim":   persistentvolumeclaim.Strategy,
	"ResourceQuota":           resourcequota.Strategy,
	"LimitRange":              limitrange.Strategy,
	"Endpoints":               endpoint.Strategy,
	"Service":                 service.Strategy,
	"Deployment":              deployment.Strategy,
	"ReplicaSet":              replicaset.Strategy,
	"StatefulSet":             statefulset.Strategy,
	"DaemonSet":               daemonset.Strategy,
	"ControllerRevision":      controllerrevision.Strategy,
	"Job":                     job.Strategy,
	"CronJob":                 cronjob.Strategy,
	"HorizontalPodAutoscaler": horizontalpodautoscaler.Strategy,
	"PodDisruptionBudget":     poddisruptionbudget.Strategy,
	"PriorityClass":           priorityclass.Strategy,
	"RuntimeClass":            runtimeclass.Strategy,
	"Lease":                   lease.Strategy,
	"EndpointSlice":           endpointslice.Strategy,
	"Ingress":                 ingress.Strategy,
	"IngressClass":            ingressclass.Strategy,
	"NetworkPolicy":           networkpolicy.Strategy,
	"StorageClass":            storageclass.Strategy,
	"CSINode":                 csinode.Strategy,
	"CSIDriver":               csidriver.Strategy,
	"CSIStorageCapacity":      csistoragecapacity.Strategy,
	"VolumeAttachment":        volumeattachment.Strategy,
	"Role":                    role.Strategy,
	"ClusterRole":             clusterrole.Strategy,
	"RoleBinding":             rolebinding.Strategy,
	"ClusterRoleBinding":      clusterrolebinding.Strategy,
	"DeviceClass":             deviceclass.Strategy,
	"ResourceSlice":           resourceslice.Strategy,
	"ResourceClaim":           resourceclaim.NewStrategy(nil),
	"ResourceClaimTemplate":   resourceclaimtemplate.NewStrategy(nil),
}

var statuses = map[string]rest.RESTUpdateStrategy{
	"Pod":                     pod.StatusStrategy,
	"ReplicationController":   replicationcontroller.StatusStrategy,
	"Namespace":               namespace.StatusStrategy,
	"Node":                    node.StatusStrategy,
	"PersistentVolume":        persistentvolume.StatusStrategy,
	"PersistentVolumeClaim":   persistentvolumeclaim.StatusStrategy,
	"ResourceQuota":           resourcequota.StatusStrategy,
	"Service":                 service.StatusStrategy,
	"Deployment":              deployment.StatusStrategy,
	"ReplicaSet":              replicaset.StatusStrategy,
	"StatefulSet":             statefulset.StatusStrategy,
	"DaemonSet":               daemonset.StatusStrategy,
	"Job":                     job.StatusStrategy,
	"CronJob":                 cronjob.StatusStrategy,
	"HorizontalPodAutoscaler": horizontalpodautoscaler.StatusStrategy,
	"PodDisruptionBudget":     poddisruptionbudget.StatusStrategy,
	"ResourceClaim":           resourceclaim.NewStatusStrategy(resourceclaim.NewStrategy(nil)),
}

type question struct {
	APIVersion, Kind, Op string
	Doc, Old             json.RawMessage
}

type verdict struct {
	Error    string          `json:"error,omitempty"`
	Causes   [][3]string     `json:"causes,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Doc      json.RawMessage `json:"doc,omitempty"`
}

func decode(raw []byte, gvk schema.GroupVersionKind) (runtime.Object, error) {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, &gvk, nil)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(object)
	return legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
}

func judge(q question) (v verdict) {
	defer func() {
		if r := recover(); r != nil { // strategies trust admission to have refused some documents
			v = verdict{Error: fmt.Sprint("panic: ", r)}
		}
	}()
	version, _ := schema.ParseGroupVersion(q.APIVersion)
	object, err := decode(q.Doc, version.WithKind(q.Kind))
	if err != nil {
		return verdict{Error: err.Error()}
	}
	accessor, _ := meta.Accessor(object)
	info := &genericapirequest.RequestInfo{APIGroup: version.Group, APIVersion: version.Version, IsResourceRequest: true}
	ctx := genericapirequest.WithRequestInfo(context.Background(), info)
	ctx = genericapirequest.WithNamespace(ctx, accessor.GetNamespace())
	if q.Op == "create" {
		accessor.SetUID("uid")
		accessor.SetCreationTimestamp(metav1.Now())
		if err = rest.BeforeCreate(strategies[q.Kind], ctx, object); err == nil {
			v.Warnings = strategies[q.Kind].WarningsOnCreate(ctx, object)
		}
	} else {
		old, oldErr := decode(q.Old, version.WithKind(q.Kind))
		if oldErr != nil {
			return verdict{Error: oldErr.Error()}
		}
		var updating rest.RESTUpdateStrategy = strategies[q.Kind]
		if q.Op == "status" {
			updating = statuses[q.Kind]
		}
		if err = rest.BeforeUpdate(updating, ctx, object, old); err == nil {
			v.Warnings = updating.WarningsOnUpdate(ctx, object, old)
		}
	}
	return finish(v, object, version, err)
}

func finish(v verdict, object runtime.Object, version schema.GroupVersion, err error) verdict {
	if refused, ok := err.(interface{ Status() metav1.Status }); ok && refused.Status().Details != nil {
		for _, cause := range refused.Status().Details.Causes {
			v.Causes = append(v.Causes, [3]string{string(cause.Type), cause.Field, cause.Message})
		}
		return v
	} else if err != nil {
		return verdict{Error: err.Error()}
	}
	external, err := legacyscheme.Scheme.ConvertToVersion(object, version)
	if err != nil {
		return verdict{Error: err.Error()}
	}
	legacyscheme.Scheme.Default(external) // as when it is read from storage
	v.Doc, _ = json.Marshal(external)
	return v
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if err := out.Encode(judge(q)); err != nil {
			panic(err)
		}
	}
}
