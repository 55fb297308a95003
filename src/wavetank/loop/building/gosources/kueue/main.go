// Kueue for the loop: the controllers, queues, scheduler and webhooks of its own manager, from its public packages.
//
// It differs from Kueue's manager in what surrounds them. Webhooks are served over plain HTTP, since only the
// simulator calls them; there are no certificates, metrics, probes, leader election, visibility server or MultiKueue.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	_ "loop/programs/kueue/quiet"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	provisioningapi "k8s.io/autoscaler/cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	configv1beta1 "sigs.k8s.io/kueue/apis/config/v1beta1"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueueapi "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/admissionchecks/provisioning"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
	"sigs.k8s.io/kueue/pkg/controller/tas"
	tasindexer "sigs.k8s.io/kueue/pkg/controller/tas/indexer"
	"sigs.k8s.io/kueue/pkg/features"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/scheduler/preemption/fairsharing"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
	"sigs.k8s.io/kueue/pkg/util/waitforpodsready"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

func main() {
	file := flag.String("config", "", "Kueue's configuration")
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))
	if err := run(*file); err != nil {
		fmt.Fprintln(os.Stderr, "kueue:", err)
		os.Exit(1)
	}
}

// program is what the steps of the set-up share.
type program struct {
	context    context.Context
	manager    manager.Manager
	connection *rest.Config
	settings   *configapi.Configuration
	cache      *schdcache.Cache
	queues     *qcache.Manager
	provisions bool // ProvisioningRequests are served
}

func run(file string) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	options, settings, err := config.Load(scheme, file)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(settings.FeatureGates); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	options.WebhookServer = newWebhookServer(&settings)
	options.Metrics.BindAddress, options.HealthProbeBindAddress, options.LeaderElection = "0", "0", false
	connection := ctrl.GetConfigOrDie()
	if *settings.ClientConnection.QPS >= 0 {
		connection.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(*settings.ClientConnection.QPS, int(*settings.ClientConnection.Burst))
	}
	mgr, err := ctrl.NewManager(connection, options)
	if err != nil {
		return err
	}
	kueue := &program{context: ctrl.SetupSignalHandler(), manager: mgr, connection: connection, settings: &settings}
	kueue.makeCaches()
	for _, step := range []func() error{kueue.addIndexes, kueue.addControllers, kueue.addJobs, kueue.addWebhooks, kueue.addScheduler} {
		if err := step(); err != nil {
			return err
		}
	}
	go kueue.queues.CleanUpOnContext(kueue.context)
	go kueue.cache.CleanUpOnContext(kueue.context)
	return mgr.Start(kueue.context)
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	var failures []error
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme,
		kueueapi.AddToScheme,
		kueuev1beta1.AddToScheme,
		configapi.AddToScheme,
		configv1beta1.AddToScheme,
		provisioningapi.AddToScheme,
	} {
		failures = append(failures, add(scheme))
	}
	failures = append(failures, jobframework.ForEachIntegration(func(_ string, callbacks jobframework.IntegrationCallbacks) error {
		if callbacks.AddToScheme == nil {
			return nil
		}
		return callbacks.AddToScheme(scheme)
	}))
	return scheme, errors.Join(failures...)
}

// makeCaches makes Kueue's queues and its cache of admitted workloads, as the configuration says.
func (p *program) makeCaches() {
	inCache := []schdcache.Option{schdcache.WithPodsReadyTracking(p.blocksForReadyPods())}
	inQueues := []qcache.Option{qcache.WithPodsReadyRequeuingTimestamp(p.requeuingTimestamp())}
	if r := p.settings.Resources; r != nil {
		inCache = append(inCache, schdcache.WithExcludedResourcePrefixes(r.ExcludeResourcePrefixes), schdcache.WithResourceTransformations(r.Transformations))
		inQueues = append(inQueues, qcache.WithExcludedResourcePrefixes(r.ExcludeResourcePrefixes), qcache.WithResourceTransformations(r.Transformations))
	}
	if f := p.settings.FairSharing; f != nil {
		inCache = append(inCache, schdcache.WithFairSharing(fairsharing.Enabled(f)))
	}
	if f := p.settings.AdmissionFairSharing; f != nil {
		inCache = append(inCache, schdcache.WithAdmissionFairSharing(f))
		inQueues = append(inQueues, qcache.WithAdmissionFairSharing(f))
	}
	p.cache = schdcache.New(p.manager.GetClient(), inCache...)
	p.queues = qcache.NewManager(p.manager.GetClient(), p.cache, inQueues...)
}

func (p *program) blocksForReadyPods() bool {
	wait := p.settings.WaitForPodsReady
	return waitforpodsready.Enabled(wait) && wait.BlockAdmission != nil && *wait.BlockAdmission
}

func (p *program) requeuingTimestamp() configapi.RequeuingTimestamp {
	wait := p.settings.WaitForPodsReady
	if wait == nil || wait.RequeuingStrategy == nil || wait.RequeuingStrategy.Timestamp == nil {
		return configapi.EvictionTimestamp
	}
	return *wait.RequeuingStrategy.Timestamp
}

func (p *program) addIndexes() error {
	index := p.manager.GetFieldIndexer()
	failures := []error{indexer.Setup(p.context, index)}
	if p.provisions = provisioning.ServerSupportsProvisioningRequest(p.manager) == nil; p.provisions {
		failures = append(failures, provisioning.SetupIndexer(p.context, index))
	}
	if features.Enabled(features.TopologyAwareScheduling) {
		failures = append(failures, tasindexer.SetupIndexes(p.context, index))
	}
	frameworks := jobframework.WithEnabledFrameworks(p.settings.Integrations.Frameworks)
	failures = append(failures, jobframework.SetupIndexes(p.context, index, frameworks))
	return errors.Join(failures...)
}

func (p *program) addControllers() error {
	if name, err := core.SetupControllers(p.manager, p.queues, p.cache, p.settings, nil); err != nil {
		return fmt.Errorf("controller %s: %w", name, err)
	}
	if p.provisions {
		recorder := p.manager.GetEventRecorderFor("kueue-provisioning-request-controller")
		controller, err := provisioning.NewController(p.manager.GetClient(), recorder, nil)
		if err != nil {
			return err
		}
		if err := controller.SetupWithManager(p.manager); err != nil {
			return err
		}
	}
	if features.Enabled(features.TopologyAwareScheduling) {
		if name, err := tas.SetupControllers(p.manager, p.queues, p.cache, p.settings, nil); err != nil {
			return fmt.Errorf("controller %s: %w", name, err)
		}
	}
	return nil
}

// addJobs adds the controllers and webhooks of the kinds of jobs that the configuration names.
func (p *program) addJobs() error {
	client, err := discovery.NewDiscoveryClientForConfig(p.connection)
	if err != nil {
		return err
	}
	version := kubeversion.NewServerVersionFetcher(client)
	if err := errors.Join(p.manager.Add(version), version.FetchServerVersion()); err != nil {
		return err
	}
	namespaces, err := metav1.LabelSelectorAsSelector(p.settings.ManagedJobsNamespaceSelector)
	if err != nil {
		return fmt.Errorf("managedJobsNamespaceSelector: %w", err)
	}
	return jobframework.SetupControllers(
		p.context, p.manager, ctrl.Log,
		jobframework.WithManageJobsWithoutQueueName(p.settings.ManageJobsWithoutQueueName),
		jobframework.WithWaitForPodsReady(p.settings.WaitForPodsReady),
		jobframework.WithKubeServerVersion(version),
		jobframework.WithEnabledFrameworks(p.settings.Integrations.Frameworks),
		jobframework.WithEnabledExternalFrameworks(p.settings.Integrations.ExternalFrameworks),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithLabelKeysToCopy(p.settings.Integrations.LabelKeysToCopy),
		jobframework.WithCache(p.cache),
		jobframework.WithQueues(p.queues),
		jobframework.WithObjectRetentionPolicies(p.settings.ObjectRetentionPolicies),
		jobframework.WithManagedJobsNamespaceSelector(namespaces),
	)
}

func (p *program) addWebhooks() error {
	if name, err := webhooks.Setup(p.manager, nil); err != nil {
		return fmt.Errorf("webhook %s: %w", name, err)
	}
	return nil
}

func (p *program) addScheduler() error {
	return p.manager.Add(scheduler.New(
		p.queues, p.cache, p.manager.GetClient(), p.manager.GetEventRecorderFor(constants.AdmissionName),
		scheduler.WithPodsReadyRequeuingTimestamp(p.requeuingTimestamp()),
		scheduler.WithFairSharing(p.settings.FairSharing),
		scheduler.WithAdmissionFairSharing(p.settings.AdmissionFairSharing),
	))
}

// webhookServer serves webhooks over plain HTTP.
type webhookServer struct {
	mux     *http.ServeMux
	address string
}

func newWebhookServer(settings *configapi.Configuration) *webhookServer {
	port := configapi.DefaultWebhookPort
	if settings.Webhook.Port != nil {
		port = *settings.Webhook.Port
	}
	return &webhookServer{http.NewServeMux(), net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
}

func (s *webhookServer) NeedLeaderElection() bool                   { return false }
func (s *webhookServer) Register(path string, handler http.Handler) { s.mux.Handle(path, handler) }
func (s *webhookServer) WebhookMux() *http.ServeMux                 { return s.mux }
func (s *webhookServer) StartedChecker() healthz.Checker            { return healthz.Ping }

func (s *webhookServer) Start(context.Context) error {
	return http.ListenAndServe(s.address, s.mux)
}
