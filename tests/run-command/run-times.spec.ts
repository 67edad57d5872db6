import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRun } from '../../sdk/src/runs/index.ts'
import { callAsOperator, newFolder, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { broker } from '../support/shared-broker.ts'
import { run } from './run-process.ts'

const env = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }

/** Prints the time of the world at each request. It is no Node program, so only its requests and output are seen. */
const poller = (pauses: readonly number[]): readonly string[] => [
  'sh',
  '-c',
  `for pause in ${pauses.join(' ')}; do
    curl -sS -H "APCA-API-KEY-ID: any" -H "APCA-API-SECRET-KEY: any" https://paper-api.alpaca.markets/v2/clock; echo; sleep $pause
  done`,
]

async function timesOf(flags: readonly string[], command: readonly string[]) {
  const runs = newFolder()
  const { stderr } = await run(['--url', broker.url, '--runs', runs, ...flags], command, { env })
  const [file] = readdirSync(runs)
  assert.ok(file, stderr)
  const { parts } = await readRun(readFileSync(join(runs, file)))
  const printed = parts.output.map(({ at, text }) => ({
    at: Date.parse(at),
    world: Date.parse(JSON.parse(text).timestamp),
  }))
  return { printed, requests: parts.request.map(({ at }) => Date.parse(at)) }
}

test('in a replay that only waits a while, requests and output have the time of the world', async () => {
  const span = ['--from', '2026-03-02T15:00:00Z', '--to', '2026-03-02T15:20:00Z']
  const { printed, requests } = await timesOf(
    [...span, '--step', '5m', '--think', '400ms'],
    poller([1.3, 0.3, 0.3, 0.3, 0.3]),
  )
  assert.ok(new Set(printed.map(({ at }) => at)).size >= 3, JSON.stringify(printed))
  for (const [index, { at, world }] of printed.entries()) {
    // The clock may have moved by a step between the response and the line.
    assert.ok(at - world >= 0 && at - world <= 300_000, JSON.stringify(printed[index]))
    assert.ok(Math.abs(world - requests[index]!) <= 300_000, `${requests[index]} ${world}`)
  }
})

// The first test has the rule: each line has the time of the clock. Here another program moves it.
test('a clock that another program moves is that of the output', { skip: !hasAllCases }, async () => {
  const { world } = await newWorld(broker, { start: '2026-03-02T15:00:00Z' })
  const running = timesOf(['--world', world], poller([0.4, 0.4, 0.4, 0.4, 0.4]))
  for (let step = 0; step < 2; step++) {
    await new Promise((resolve) => setTimeout(resolve, 800))
    await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world}/clock/advance`, { by: '1h' })
  }
  const { printed, requests } = await running
  const wrong = printed.filter(({ at, world: then }) => Math.abs(at - then) > 1000)
  assert.ok(wrong.length <= 1, JSON.stringify(printed))
  assert.equal(requests.length, 5)
})
