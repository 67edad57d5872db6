import assert from 'node:assert/strict'
import test from 'node:test'
import * as reference from '@msgpack/msgpack'
import type { Committed } from '@quipu/broker/journal/committed.ts'
import type { BrokerEvent, Instant } from '@quipu/core'
import fc from 'fast-check'
import { anyOrder } from '../http/testing/orders.ts'
import { tradeUpdateMessage } from '../streams/hub.ts'
import { eventId } from './event-id.ts'
import { tradeUpdateOf, tradeUpdateText } from './trade-update.ts'

const amount = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n })
const at = fc.bigInt({ min: 0n, max: 10n ** 19n }) as fc.Arbitrary<Instant>

/** An event of any kind with an order. The update takes the order from `order`, not from the event. */
const anyCommitted: fc.Arbitrary<Committed> = fc
  .record({
    seq: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 2 ** 52 })),
    order: anyOrder,
    event: fc.record({
      kind: fc.constantFrom(
        'orderAccepted',
        'orderReleased',
        'orderAcknowledged',
        'orderActivated',
        'stopActivated',
        'stopAdjusted',
        'orderElected',
        'orderResized',
        'orderReplaced',
        'orderRestated',
        'orderFilled',
        'orderCanceled',
        'orderExpired',
        'dayClosed',
      ),
      at,
      executionId: fc.uuid(),
      positionAfter: amount,
      price: amount,
      quantity: amount,
    }),
  })
  .map(({ seq, order, event }) => ({ seq, order, event: { ...event, order } as unknown as BrokerEvent }))

test('the text of any update is the JSON of its record', () => {
  fc.assert(
    fc.property(anyCommitted, (committed) => {
      const update = tradeUpdateOf(committed)
      assert.equal(tradeUpdateText(committed), update && JSON.stringify(update))
    }),
    { numRuns: 2_000 },
  )
})

/** The payload of a frame with a 16-bit length (126 bytes to 64 kB). */
const payloadOf = (frame: Buffer): Buffer => {
  assert.equal(frame[1], 126)
  assert.equal(frame.readUInt16BE(2), frame.length - 4)
  return frame.subarray(4)
}

test('every codec encodes the same update', () => {
  fc.assert(
    fc.property(anyCommitted, (committed) => {
      const update = tradeUpdateOf(committed)
      const message = tradeUpdateMessage(committed)
      if (!update || !message) return assert.equal(message, update)
      const expected = { stream: 'trade_updates', data: update }
      const [text, binary] = [message.frame('jsonInText'), message.frame('jsonInBinary')]
      assert.deepEqual([text[0], binary[0]], [0x81, 0x82])
      for (const frame of [text, binary]) assert.equal(payloadOf(frame).toString(), JSON.stringify(expected))
      assert.deepEqual(reference.decode(payloadOf(message.frame('messagePack'))), expected)
    }),
  )
})

test('the id of an event is its millisecond and its number in ULID digits', () => {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
  const base32 = (value: bigint, width: number): string =>
    width === 0 ? '' : base32(value / 32n, width - 1) + digits[Number(value % 32n)]
  const instants = fc.oneof(at, fc.constantFrom(0n as Instant, 1_767_625_200_000_000_000n as Instant))
  const numbers = fc.oneof(fc.integer({ min: 0, max: 2_100 }), fc.maxSafeNat())
  fc.assert(
    fc.property(instants, numbers, (when, seq) =>
      assert.equal(eventId(when, seq), base32(when / 1_000_000n, 10) + base32(BigInt(seq), 16)),
    ),
    { numRuns: 2_000 },
  )
})
