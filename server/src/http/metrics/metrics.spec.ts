import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics, metricLabel } from './metrics.ts'

test('responses are counted by operation and status, in cumulative buckets', (t) => {
  const metrics = createMetrics()
  t.after(() => metrics.close())
  for (const ms of [0.2, 0.5, 3, 20_000]) metrics.responded('placeOrder', 200, ms)
  metrics.responded('placeOrder', 422, 1)
  const text = metrics.text({ worlds: true })
  for (const line of [
    'quipu_requests_total{operation="placeOrder",status="200"} 4',
    'quipu_requests_total{operation="placeOrder",status="422"} 1',
    'quipu_request_seconds_bucket{operation="placeOrder",le="0.0005"} 2',
    'quipu_request_seconds_bucket{operation="placeOrder",le="0.001"} 3',
    'quipu_request_seconds_bucket{operation="placeOrder",le="0.005"} 4',
    'quipu_request_seconds_bucket{operation="placeOrder",le="10"} 4',
    'quipu_request_seconds_bucket{operation="placeOrder",le="+Inf"} 5',
    'quipu_request_seconds_count{operation="placeOrder"} 5',
  ])
    assert.ok(text.includes(`${line}\n`), line)
})

test('metrics have a help text and a type, and are read on each call', (t) => {
  const metrics = createMetrics()
  t.after(() => metrics.close())
  let value = 1
  metrics.observe('lag', 'gauge', 'How far behind.', () => [[metricLabel('world', 'a"b\\c'), value]])
  metrics.count('drops_total', 'Dropped.')
  metrics.count('drops_total', 'Dropped.')
  assert.ok(
    metrics
      .text({ worlds: true })
      .includes('# HELP lag How far behind.\n# TYPE lag gauge\nlag{world="a\\"b\\\\c"} 1\n'),
  )
  assert.ok(metrics.text({ worlds: true }).includes('# TYPE drops_total counter\ndrops_total 2\n'))
  value = 7
  assert.ok(metrics.text({ worlds: true }).includes('lag{world="a\\"b\\\\c"} 7\n'))
})

test('every line follows the Prometheus text format', (t) => {
  const metrics = createMetrics()
  t.after(() => metrics.close())
  metrics.responded('getAccount', 200, 1)
  for (const line of metrics.text({ worlds: true }).trimEnd().split('\n'))
    assert.match(line, /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"]*"(?:,\w+="[^"]*")*\})? -?[\d.e+-]+)$/)
})
