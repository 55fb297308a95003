// A small autoscaler for tests of programs in the loop. It sizes one MachineDeployment by what pods request: it reads pods
// from an informer and sets replicas through the scale subresource, as cluster-autoscaler does with Cluster API.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/clientcmd"
)

var deployments = schema.GroupResource{Group: "cluster.x-k8s.io", Resource: "machinedeployments"}

const status = "scaler-status"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the API to connect to")
	name := flag.String("deployment", "", "the MachineDeployment to size")
	milli := flag.Int64("node-cpu", 4000, "CPU of a node, in milli-CPU")
	most := flag.Int64("max", 10, "the most nodes")
	scan := flag.Duration("scan-interval", 10*time.Second, "time between two looks")
	flag.Parse()
	if err := run(*kubeconfig, *name, *milli, *most, *scan); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, name string, milli, most int64, scan time.Duration) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 5000, 5000
	config.ContentType = "application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	scales, err := scaleClient(config, client.Discovery())
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Lister()
	ctx := context.Background()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for {
		time.Sleep(scan)
		all, err := pods.List(labels.Everything())
		if err != nil {
			return err
		}
		wanted := min((requested(all)+milli-1)/milli, most)
		if err := resize(ctx, client, scales, name, int32(wanted)); err != nil {
			return err
		}
	}
}

func scaleClient(config *rest.Config, found discovery.DiscoveryInterface) (scale.ScalesGetter, error) {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	resolver := scale.NewDiscoveryScaleKindResolver(found)
	return scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc, resolver)
}

// requested returns the CPU of all pods that run or could not be placed, in milli-CPU.
func requested(pods []*corev1.Pod) int64 {
	var sum int64
	for _, pod := range pods {
		if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, container := range pod.Spec.Containers {
			sum += container.Resources.Requests.Cpu().MilliValue()
		}
	}
	return sum
}

func resize(ctx context.Context, client kubernetes.Interface, scales scale.ScalesGetter, name string, wanted int32) error {
	present, err := scales.Scales("default").Get(ctx, deployments, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil // not created yet
	}
	if err != nil || present.Spec.Replicas == wanted {
		return err
	}
	patch := []byte(fmt.Sprintf(`{"spec":{"replicas":%d}}`, wanted))
	resource := deployments.WithVersion("v1beta1")
	if _, err := scales.Scales("default").Patch(ctx, resource, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	return report(ctx, client, wanted)
}

// report keeps the last size in a ConfigMap.
func report(ctx context.Context, client kubernetes.Interface, size int32) error {
	maps := client.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	data := map[string]string{"replicas": fmt.Sprint(size), "at": time.Now().UTC().Format(time.RFC3339)}
	present, err := maps.Get(ctx, status, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: status}, Data: data}
		_, err = maps.Create(ctx, made, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	present.Data = data
	_, err = maps.Update(ctx, present, metav1.UpdateOptions{})
	return err
}
