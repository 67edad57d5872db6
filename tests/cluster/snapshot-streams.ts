import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Reader } from '../../server/src/http/testing/events.ts'
import { type Body, type Broker, call, callAsOperator } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

async function pathOf(node: Broker): Promise<string> {
  const { body } = await call(node, 'GET', '/v2/account')
  return `/sim/v1/worlds/main/accounts/${body.id}/snapshot`
}

/** The event stream of the account snapshot at a node. */
export async function followSnapshot(t: TestContext, node: Broker): Promise<Reader> {
  const reader = new Reader(await pathOf(node), node, { accept: 'text/event-stream' })
  t.after(() => reader.leave())
  return reader
}

/** What the messages of a stream say by now: the last whole with its changes. */
function shownBy(messages: readonly Body[]): Body {
  const start = messages.findLastIndex(({ positions, gain_today: gain, clock, orders }) =>
    [positions, gain, clock, orders].every((part) => part !== undefined),
  )
  const positions = new Map<string, string>()
  let [event, cash] = [0, '']
  for (const message of messages.slice(start)) {
    event = message.event
    cash = message.account?.cash ?? cash
    for (const { symbol, qty } of message.positions ?? []) positions.set(symbol, qty)
    for (const symbol of message.positions_ended ?? []) positions.delete(symbol)
  }
  return { event, cash, positions: Object.fromEntries(positions) }
}

/** Every node returns the same account to its key and to an auditor, and every stream has reached it. */
export async function assertSnapshots(nodes: readonly Broker[], readers: readonly Reader[]): Promise<void> {
  const { body: auditor } = await callAsOperator(nodes[0]!, 'POST', '/sim/v1/worlds/main/keys', {
    kind: 'auditor',
  })
  const keys = [nodes[0]!, { keyId: auditor.key_id, secretKey: auditor.secret_key }]
  const path = await pathOf(nodes[0]!)
  const shots = await Promise.all(
    nodes.flatMap((node) => keys.map((key) => call({ ...key, url: node.url }, 'GET', path))),
  )
  for (const { status, body } of shots) assert.equal(status, 200, JSON.stringify(body))
  const expected = shownBy([shots[0]!.body])
  for (const { body } of shots) assert.deepEqual(shownBy([body]), expected)
  for (const reader of readers)
    await waitUntil('the stream has the last event', () => shownBy(reader.events).event >= expected.event)
  for (const reader of readers) assert.deepEqual(shownBy(reader.events), expected)
}
