import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A client of a cluster, written with fabric8: it follows a pod with a watch, which fabric8 opens as a WebSocket, and
 * pods with an informer; it runs a Deployment, scales it and deletes it. Its kubeconfig is $KUBECONFIG.
 */
public class Scenario {
  public static void main(String[] arguments) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      client.nodes().list().getItems().forEach(node -> System.out.println("node " + node.getMetadata().getName()));
      watch(client);
      deploy(client);
    }
  }

  private static void watch(KubernetesClient client) throws InterruptedException {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    Watcher<Pod> watcher = new Watcher<>() {
      @Override
      public void eventReceived(Action action, Pod pod) {
        told.add(action == Action.DELETED ? "deleted" : pod.getStatus().getPhase());
      }

      @Override
      public void onClose(WatcherException cause) {
        told.add("closed: " + cause);
      }
    };
    try (Watch watch = client.pods().inNamespace("default").withName("followed").watch(watcher)) {
      Pod pod = new PodBuilder().withNewMetadata().withName("followed").endMetadata().withNewSpec()
          .addNewContainer().withName("c").withImage("nginx").endContainer().endSpec().build();
      client.resource(pod).inNamespace("default").create();
      await(told, "Running");
      client.resource(pod).inNamespace("default").withGracePeriod(0).delete();
      await(told, "deleted");
    }
    System.out.println("watched");
  }

  private static void await(BlockingQueue<String> told, String wanted) throws InterruptedException {
    String last;
    do {
      last = told.poll(5, TimeUnit.MINUTES);
      if (last == null || last.startsWith("closed")) {
        throw new IllegalStateException("waited for " + wanted + ", got " + last);
      }
    } while (!last.equals(wanted));
  }

  private static void deploy(KubernetesClient client) {
    var deployments = client.apps().deployments().inNamespace("default");
    deployments.resource(new DeploymentBuilder().withNewMetadata().withName("web").endMetadata().withNewSpec()
        .withReplicas(2).withNewSelector().addToMatchLabels("app", "web").endSelector().withNewTemplate()
        .withNewMetadata().addToLabels("app", "web").endMetadata().withNewSpec().addNewContainer().withName("c")
        .withImage("nginx").endContainer().endSpec().endTemplate().endSpec().build()).create();
    deployments.withName("web").waitUntilReady(5, TimeUnit.MINUTES);
    deployments.withName("web").scale(3);
    try (var informer = client.pods().inNamespace("default").withLabel("app", "web").inform()) {
      System.out.println("pods " + informer.getStore().list().size());
    }
    deployments.withName("web").delete();
    deployments.withName("web").waitUntilCondition(found -> found == null, 5, TimeUnit.MINUTES);
    System.out.println("deleted");
  }
}
