// What Volcano 1.15.1 uses of its API module and the published version does not have. Added by wavetank.

package v1beta1

const QueueAllocationGateKey = GroupName + "/queue-allocation-gate"
