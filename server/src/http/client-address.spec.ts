import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { clientAddress } from './client-address.ts'

const from = (forwarded: string | undefined) =>
  ({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress: '10.0.0.9' },
  }) as unknown as IncomingMessage

for (const [forwarded, trust, address] of [
  [undefined, true, '10.0.0.9'],
  ['203.0.113.7', false, '10.0.0.9'],
  ['203.0.113.7', true, '203.0.113.7'],
  // What stands before the last entry came from the client itself.
  ['192.0.2.1, 203.0.113.7', true, '203.0.113.7'],
  ['', true, '10.0.0.9'],
] as const)
  test(`${forwarded ?? 'nothing'} ${trust ? 'believed' : 'not believed'} is ${address}`, () => {
    assert.equal(clientAddress(from(forwarded), trust), address)
  })
