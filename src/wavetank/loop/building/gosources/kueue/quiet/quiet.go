// Package quiet keeps work queues without metrics: with metrics each of them wakes up twice a second, though nothing in
// the loop reads them.
//
// controller-runtime sets its metrics when it is initialized, and only the first call counts. Packages are initialized
// in the order of their paths, as soon as what they import is: this one's path is smaller.
package quiet

import (
	_ "unsafe" // for linkname

	"k8s.io/client-go/util/workqueue"
)

//go:linkname provider k8s.io/client-go/util/workqueue.globalMetricsProvider
var provider workqueue.MetricsProvider

func init() {
	workqueue.SetProvider(provider) // that of no metrics
}
