// Volcano's admission webhooks for the loop: those of its webhook manager, with the same flags.
//
// They are served over plain HTTP, since only the simulator calls them: there are no certificates, no probes, and the
// webhook configurations get no certificate of an authority.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	cliflag "k8s.io/component-base/cli/flag"

	"volcano.sh/apis/pkg/apis/scheduling/scheme"
	"volcano.sh/apis/pkg/client/clientset/versioned"
	informers "volcano.sh/apis/pkg/client/informers/externalversions"
	"volcano.sh/volcano/cmd/webhook-manager/app/options"
	_ "volcano.sh/volcano/pkg/features"
	"volcano.sh/volcano/pkg/kube"
	"volcano.sh/volcano/pkg/util"
	_ "volcano.sh/volcano/pkg/webhooks/admission/cronjobs/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/hypernodes/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/jobflows/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/jobs/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/jobs/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/podgroups/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/podgroups/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/pods/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/pods/validate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/queues/mutate"
	_ "volcano.sh/volcano/pkg/webhooks/admission/queues/validate"
	"volcano.sh/volcano/pkg/webhooks/config"
	"volcano.sh/volcano/pkg/webhooks/router"
)

func main() {
	settings := options.NewConfig()
	settings.AddFlags(pflag.CommandLine)
	utilfeature.DefaultMutableFeatureGate.AddFlag(pflag.CommandLine)
	cliflag.InitFlags()
	if err := run(settings); err != nil {
		fmt.Fprintln(os.Stderr, "vc-webhook-manager:", err)
		os.Exit(1)
	}
}

func run(settings *options.Config) error {
	connection, err := kube.BuildConfig(settings.KubeClientOptions)
	if err != nil {
		return err
	}
	if err := util.SetupComponentGlobals(connection); err != nil {
		return err
	}
	ours, err := versioned.NewForConfig(connection)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(connection)
	if err != nil {
		return err
	}
	shared := &router.AdmissionServiceConfig{
		KubeClient:                    client,
		VolcanoClient:                 ours,
		Recorder:                      newRecorder(settings, client),
		SchedulerNames:                settings.SchedulerNames,
		ConfigData:                    config.LoadAdmissionConf(settings.ConfigPath),
		EnableQueueAllocatedPodsCheck: settings.EnableQueueAllocatedPodsCheck,
		MaxQueueDepth:                 settings.MaxQueueDepth,
		EnableRootQueueProtection:     settings.EnableRootQueueProtection,
	}
	if err := watchQueues(ours, shared); err != nil {
		return err
	}
	return serve(settings, shared)
}

func newRecorder(settings *options.Config, client kubernetes.Interface) record.EventRecorder {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	source := corev1.EventSource{Component: util.GenerateComponentName(settings.SchedulerNames)}
	return broadcaster.NewRecorder(scheme.Scheme, source)
}

// watchQueues waits until the queues are known, which some webhooks look up.
func watchQueues(client versioned.Interface, shared *router.AdmissionServiceConfig) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	queues := factory.Scheduling().V1beta1().Queues()
	index := cache.Indexers{router.QueueParentIndexName: router.QueueParentIndexFunc}
	if err := queues.Informer().AddIndexers(index); err != nil {
		return err
	}
	shared.QueueLister, shared.QueueInformer = queues.Lister(), queues.Informer()
	stop := make(chan struct{})
	factory.Start(stop)
	for kind, synced := range factory.WaitForCacheSync(stop) {
		if !synced {
			return fmt.Errorf("cannot read %v", kind)
		}
	}
	return nil
}

func serve(settings *options.Config, shared *router.AdmissionServiceConfig) error {
	mux := http.NewServeMux()
	err := router.ForEachAdmission(settings, func(service *router.AdmissionService) error {
		if service.Config != nil {
			*service.Config = *shared
		}
		mux.HandleFunc(service.Path, service.Handler)
		return nil
	})
	if err != nil {
		return err
	}
	return http.ListenAndServe(net.JoinHostPort("127.0.0.1", strconv.Itoa(settings.Port)), mux)
}
