import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathOf, programs } from '../programs/debian.ts'
import { callAsOperator, newFolder } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { alertsFile, metricsIn } from './page.ts'

const promtool = pathOf(programs.promtool)
const casesFile = join(import.meta.dirname, 'alerts.test.yml')
const guidesFolder = join(alertsFile, '..', '..')
const rules = readFileSync(alertsFile, 'utf8')

test('Prometheus accepts the alert rules', () => {
  assert.match(execFileSync(promtool, ['check', 'rules', alertsFile], { encoding: 'utf8' }), /SUCCESS/)
})

test('each alert fires when it should, and none on a quiet server', () => {
  const folder = newFolder()
  copyFileSync(alertsFile, join(folder, 'alerts.yml'))
  copyFileSync(casesFile, join(folder, 'cases.yml'))
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', join(folder, 'cases.yml')], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout + stderr)
  const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
  const cases = readFileSync(casesFile, 'utf8')
  assert.deepEqual(
    names.filter((name) => !cases.includes(`alertname="${name}"`)),
    [],
  )
})

test('the units of systemd in the alert rules are those of the guides', () => {
  const named = [...rules.matchAll(/systemctl \w+ ([\w-]+)(\.timer)?/g)].map(
    ([, unit, timer]) => `${unit}${timer ?? '.service'}`,
  )
  const guides = ['backup.md', 'deploy.md']
    .map((page) => readFileSync(join(guidesFolder, page), 'utf8'))
    .join()
  assert.ok(named.includes('quipu-backup.timer'))
  assert.deepEqual(
    named.filter((unit) => !guides.includes(`/etc/systemd/system/${unit}`)),
    [],
  )
})

test('the metrics of the alert rules exist, and only counters end in _total', async () => {
  const { body } = await callAsOperator(broker, 'GET', '/metrics')
  const kinds = [...body.matchAll(/^# TYPE (\w+) (\w+)/gm)] as [string, string, string][]
  const known = new Set(kinds.map(([, name]) => name))
  // tests/cluster/operations.spec.ts checks those of a cluster.
  const used = metricsIn(rules).filter((name) => !name.startsWith('quipu_cluster_'))
  assert(used.length > 8)
  assert.deepEqual(
    used.filter((name) => !known.has(name)),
    [],
  )
  assert.deepEqual(
    kinds.filter(([, name, kind]) => name.endsWith('_total') !== (kind === 'counter')),
    [],
  )
})
