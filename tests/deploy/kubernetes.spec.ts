import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validate as statefulSet } from 'kubernetes-models/_schemas/IoK8sApiAppsV1StatefulSet'
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { parseAllDocuments } from 'yaml'
import { type Body, newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

const validators = { StatefulSet: statefulSet, PodDisruptionBudget: disruptionBudget, Service: service }

/** The objects of a manifest. */
const objectsOf = (name: string): Body[] =>
  parseAllDocuments(
    readFileSync(join(import.meta.dirname, '../../docs/guides/deploy/kubernetes', name), 'utf8'),
  ).map((document) => document.toJS())

/** Throws if an object does not follow its schema. The schemas allow unknown fields, which validation does not read. */
function validate(object: Body): void {
  const unread = new Set<string>()
  const watched = (value: Body, path: string): Body => {
    if (typeof value !== 'object' || value === null) return value
    for (const name of Object.keys(value)) unread.add(`${path}.${name}`)
    const inner = Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, watched(one, `${path}.${name}`)]),
    )
    return new Proxy(Array.isArray(value) ? Object.values(inner) : inner, {
      get(target, name) {
        unread.delete(`${path}.${String(name)}`)
        return Reflect.get(target, name)
      },
    })
  }
  const follows = validators[object.kind as keyof typeof validators]
  assert(follows(watched(object, '')), JSON.stringify((follows as { readonly errors?: unknown }).errors))
  assert.deepEqual([...unread], [], 'the schema does not have these fields')
}

/** The environment of a container on this machine: secrets in files of a folder. */
function environmentOf(variables: readonly Body[]): Record<string, string> {
  const folder = newFolder()
  const values = { POD_NAME: 'quipu-0' } as Record<string, string>
  for (const { name, value } of variables) {
    if (value === undefined) continue
    const [, file] = /^\/etc\/quipu\/(.+)$/.exec(value) ?? []
    if (file) writeFileSync(join(folder, file), file === 'store' ? 'postgres://a:b@c/d' : 'x'.repeat(48))
    values[name] = file ? join(folder, file) : value.replace('$(POD_NAME)', 'quipu-0')
  }
  return values
}

/** The variables that Kubernetes adds to each pod for a Service with a cluster address, unless service links are off. */
function linksOf({ metadata, spec }: Body): Record<string, string> {
  const name = metadata.name.toUpperCase().replaceAll('-', '_')
  const [{ port, name: portName }] = spec.ports
  return {
    [`${name}_SERVICE_HOST`]: '10.96.0.10',
    [`${name}_SERVICE_PORT`]: `${port}`,
    [`${name}_SERVICE_PORT_${portName.toUpperCase()}`]: `${port}`,
    [`${name}_PORT`]: `tcp://10.96.0.10:${port}`,
    [`${name}_PORT_${port}_TCP`]: `tcp://10.96.0.10:${port}`,
  }
}

/** The environment that Kubernetes gives a container: that of the manifest, and the addresses of Services. */
function environmentInPod(objects: readonly Body[], pod: Body): Record<string, string> {
  const services = objects.filter(({ kind, spec }) => kind === 'Service' && spec.clusterIP !== 'None')
  const links = pod.enableServiceLinks === false ? [] : services.map(linksOf)
  return Object.assign({}, ...links, environmentOf(pod.containers[0].env))
}

for (const [name, kinds] of [
  ['single.yaml', ['Service', 'StatefulSet']],
  ['cluster.yaml', ['Service', 'Service', 'PodDisruptionBudget', 'StatefulSet']],
] as const)
  test(`the Kubernetes manifest ${name} follows the schemas, runs without rights, and has valid settings in a pod`, async () => {
    const objects = objectsOf(name)
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      kinds,
    )
    for (const object of objects) validate(object)
    const set = objects.at(-1)
    for (const wrong of [
      { ...set, spec: { ...set.spec, replicas: 'three' } },
      { ...set, spec: { ...set.spec, serviceNames: 'x' } },
      { ...set, metadata: { ...set.metadata, label: {} } },
    ])
      assert.throws(() => validate(wrong))
    const { spec: pod } = set.spec.template
    const [container] = pod.containers
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.automountServiceAccountToken], [true, false])
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext
    assert.deepEqual(
      [readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities.drop],
      [true, false, ['ALL']],
    )
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (probe) => container[probe].httpGet.path,
    )
    assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz'])
    const env = environmentInPod(objects, pod)
    for (const variable of Object.keys(env)) assert.doesNotMatch(variable, /(SECRET|SECRET_KEY|STORE)$/)
    const { code, stderr } = await command(['config', 'show'], { env })
    assert.equal(code, 0, stderr)
  })
