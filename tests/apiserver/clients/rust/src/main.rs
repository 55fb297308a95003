//! A client of a cluster, written with kube-rs: it creates a pod, follows it with a watcher, patches it and deletes it.
//! Its kubeconfig is $KUBECONFIG.

use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::{watcher, WatchStreamExt};
use kube::{Client, ResourceExt};
use serde_json::json;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let client = Client::try_default().await?;
    for node in Api::<Node>::all(client.clone()).list(&ListParams::default()).await? {
        println!("node {}", node.name_any());
    }
    let pods: Api<Pod> = Api::namespaced(client, "default");
    let config = watcher::Config::default().fields("metadata.name=followed");
    let mut events = std::pin::pin!(watcher(pods.clone(), config).applied_objects());
    let pod: Pod = serde_json::from_value(json!({
        "metadata": {"name": "followed"},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }))?;
    println!("created {}", pods.create(&PostParams::default(), &pod).await?.name_any());
    let mark = Patch::Merge(json!({"metadata": {"annotations": {"marked": "yes"}}}));
    pods.patch("followed", &PatchParams::default(), &mark).await?;
    while let Some(seen) = events.try_next().await? {
        let phase = seen.status.as_ref().and_then(|status| status.phase.clone()).unwrap_or_default();
        if phase == "Running" && seen.annotations().contains_key("marked") {
            println!("running on {}", seen.spec.and_then(|spec| spec.node_name).unwrap_or_default());
            break;
        }
    }
    pods.delete("followed", &DeleteParams::default().grace_period(0)).await?;
    while pods.get_opt("followed").await?.is_some() {}
    println!("deleted");
    Ok(())
}
