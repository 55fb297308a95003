// Command informers is a client of a cluster, written with client-go: it elects a leader, follows pods with an
// informer, creates one, changes it and deletes it, and prints what the informer has told.
//
// Its argument is the media type that it asks for; the kubeconfig is $KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const namespace = "default"

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.ContentType, config.AcceptContentTypes = os.Args[1], os.Args[1]
	client, err := kubernetes.NewForConfig(config)
	check(err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "informers"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "one"},
		},
		LeaseDuration:   60 * time.Second,
		RenewDeadline:   30 * time.Second,
		RetryPeriod:     2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Println("leading")
				lead(ctx, client)
				cancel()
			},
			OnStoppedLeading: func() { fmt.Println("released") },
		},
	})
}

func lead(ctx context.Context, client kubernetes.Interface) {
	running, deleted := make(chan *corev1.Pod, 100), make(chan *corev1.Pod, 100)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().Pods().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, object any) {
			if pod := object.(*corev1.Pod); pod.Status.Phase == corev1.PodRunning && pod.Annotations["marked"] == "yes" {
				running <- pod
			}
		},
		DeleteFunc: func(object any) {
			if pod, ok := object.(*corev1.Pod); ok {
				deleted <- pod
			}
		},
	})
	check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	pods := client.CoreV1().Pods(namespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "followed"}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "nginx"}}
	made, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	check(err)
	fmt.Println("created", made.Name, made.UID != "", made.Spec.SchedulerName)
	mark := []byte(`{"metadata":{"annotations":{"marked":"yes"}}}`)
	_, err = pods.Patch(ctx, made.Name, types.StrategicMergePatchType, mark, metav1.PatchOptions{})
	check(err)
	seen := wait(ctx, running)
	fmt.Println("running", seen.Name, seen.Spec.NodeName, len(seen.Status.ContainerStatuses))
	zero := int64(0)
	check(pods.Delete(ctx, made.Name, metav1.DeleteOptions{GracePeriodSeconds: &zero}))
	fmt.Println("deleted", wait(ctx, deleted).Name)
	_, err = pods.Get(ctx, made.Name, metav1.GetOptions{})
	fmt.Println("get:", err)
}

func wait(ctx context.Context, pods <-chan *corev1.Pod) *corev1.Pod {
	select {
	case pod := <-pods:
		return pod
	case <-ctx.Done():
		log.Fatal("nothing was told")
		return nil
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
