// A client of a cluster, written with @kubernetes/client-node: it creates a Deployment, follows its pods with an
// informer, scales it and deletes it. Its kubeconfig is $KUBECONFIG.
import { AppsV1Api, CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node'

const namespace = 'default'
const config = new KubeConfig()
config.loadFromFile(process.env.KUBECONFIG)
const core = config.makeApiClient(CoreV1Api)
const apps = config.makeApiClient(AppsV1Api)

const nodes = await core.listNode()
console.log('nodes', nodes.items.map((node) => node.metadata.name).join(' '))

const running = new Set()
const path = `/api/v1/namespaces/${namespace}/pods`
const informer = makeInformer(config, path, () => core.listNamespacedPod({ namespace }))
let notify = () => {}
const follow = (pod) => {
  if (pod.status.phase === 'Running') running.add(pod.metadata.name)
  notify()
}
informer.on('add', follow)
informer.on('update', follow)
informer.on('delete', (pod) => {
  running.delete(pod.metadata.name)
  notify()
})
informer.on('error', (error) => {
  console.error(error)
  process.exit(1)
})
await informer.start()

const until = (found) =>
  new Promise((resolve) => {
    notify = () => found() && resolve()
    notify()
  })

const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } }
const body = { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } }
const made = await apps.createNamespacedDeployment({ namespace, body })
console.log('created', made.metadata.name, made.spec.strategy.type)
await until(() => running.size === 2)
console.log('running', running.size)

const scaled = [{ op: 'replace', path: '/spec/replicas', value: 3 }]
const asPatch = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch)
await apps.patchNamespacedDeployment({ name: 'web', namespace, body: scaled }, asPatch)
await until(() => running.size === 3)
console.log('running', running.size)

await apps.deleteNamespacedDeployment({ name: 'web', namespace })
await until(() => running.size === 0)
console.log('running', running.size)
try {
  await apps.readNamespacedDeployment({ name: 'web', namespace })
} catch (error) {
  console.log('read', error.code)
}
process.exit(0)
