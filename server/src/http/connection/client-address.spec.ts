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
  // The entries before the last one come from the client.
  ['192.0.2.1, 203.0.113.7', true, '203.0.113.7'],
  ['', true, '10.0.0.9'],
] as const)
  test(`x-forwarded-for ${forwarded ?? 'absent'}, ${trust ? 'trusted' : 'not trusted'}: ${address}`, () => {
    assert.equal(clientAddress(from(forwarded), trust), address)
  })
