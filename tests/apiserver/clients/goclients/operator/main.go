// Command operator is a controller written with controller-runtime: every ConfigMap with the label `runs` gets a pod of
// the same name, which it owns, and an annotation with the phase of the pod. It runs until it is stopped.
package main

import (
	"context"
	"log"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type reconciler struct{ client.Client }

func main() {
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "pods-of-maps",
		LeaderElectionNamespace: "default",
	})
	check(err)
	check(ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}).
		Complete(&reconciler{manager.GetClient()}))
	check(manager.Start(ctrl.SetupSignalHandler()))
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var settings corev1.ConfigMap
	if err := r.Get(ctx, request.NamespacedName, &settings); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if _, wanted := settings.Labels["runs"]; !wanted {
		return ctrl.Result{}, nil
	}
	var pod corev1.Pod
	err := r.Get(ctx, request.NamespacedName, &pod)
	if errors.IsNotFound(err) {
		pod.ObjectMeta = metav1.ObjectMeta{Namespace: settings.Namespace, Name: settings.Name}
		pod.Spec.Containers = []corev1.Container{{Name: "c", Image: settings.Data["image"]}}
		if err := controllerutil.SetControllerReference(&settings, &pod, r.Scheme()); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, r.Create(ctx, &pod)
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	changed := settings.DeepCopy()
	changed.Annotations = map[string]string{"phase": string(pod.Status.Phase)}
	return ctrl.Result{}, r.Patch(ctx, changed, client.MergeFrom(&settings))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
