// Command late is a kube-scheduler with a plugin of its own: pods wait two seconds between the decision and the binding.
package main

import (
	"context"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/cli"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

const (
	name = "Late"
	wait = 2 * time.Second
)

type late struct {
	handle fwk.Handle
}

func (*late) Name() string {
	return name
}

func (plugin *late) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	time.AfterFunc(wait, func() {
		if waiting := plugin.handle.GetWaitingPod(pod.UID); waiting != nil {
			waiting.Allow(name)
		}
	})
	return fwk.NewStatus(fwk.Wait), time.Minute
}

func newLate(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return &late{handle}, nil
}

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(name, newLate))))
}
