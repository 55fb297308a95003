// Command manager is a small operator, written with controller-runtime as any other: it knows nothing of wavetank.
//
// A NightShift scales a Deployment by the hour of the day: spec.day replicas from spec.from to spec.to, else spec.night.
package main

import (
	"context"
	"flag"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var kind = schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "NightShift"}

type reconciler struct{ client.Client }

// Reconcile sets the number of replicas for this hour, and comes back when the next hour begins.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	shift := &unstructured.Unstructured{}
	shift.SetGroupVersionKind(kind)
	if err := r.Get(ctx, request.NamespacedName, shift); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	now := time.Now().UTC()
	wanted := number(shift, "night")
	if hour := int64(now.Hour()); number(shift, "from") <= hour && hour < number(shift, "to") {
		wanted = number(shift, "day")
	}
	again := ctrl.Result{RequeueAfter: now.Truncate(time.Hour).Add(time.Hour).Sub(now)}
	name, _, _ := unstructured.NestedString(shift.Object, "spec", "deployment")
	deployment := &appsv1.Deployment{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: request.Namespace, Name: name}, deployment); err != nil {
		return again, client.IgnoreNotFound(err)
	}
	if deployment.Spec.Replicas != nil && int64(*deployment.Spec.Replicas) == wanted {
		return again, nil
	}
	before := deployment.DeepCopy()
	replicas := int32(wanted)
	deployment.Spec.Replicas = &replicas
	ctrl.LoggerFrom(ctx).Info("scaled", "deployment", name, "replicas", replicas)
	return again, r.Patch(ctx, deployment, client.MergeFrom(before))
}

func number(shift *unstructured.Unstructured, field string) int64 {
	value, _, _ := unstructured.NestedInt64(shift.Object, "spec", field)
	return value
}

func main() {
	elect := flag.Bool("leader-elect", false, "take a lease first")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          *elect,
		LeaderElectionID:        "night-shift",
		LeaderElectionNamespace: "kube-system",
	})
	exitIf(err)
	shift := &unstructured.Unstructured{}
	shift.SetGroupVersionKind(kind)
	exitIf(ctrl.NewControllerManagedBy(manager).For(shift).Complete(&reconciler{manager.GetClient()}))
	exitIf(manager.Start(ctrl.SetupSignalHandler()))
}

func exitIf(err error) {
	if err != nil {
		ctrl.Log.Error(err, "cannot go on")
		os.Exit(1)
	}
}
