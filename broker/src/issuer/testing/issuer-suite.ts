import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, IssuerCode, RequestId, Ticker } from '@quipu/core'
import type { MintNotification, MintRequest, TokenIssuer } from '../issuer.ts'

export const mintRequest: MintRequest = {
  requestId: '11111111-1111-4111-8111-111111111111' as RequestId,
  issuer: 'xstocks' as IssuerCode,
  underlying: 'AAPL' as Ticker,
  tokenSymbol: 'AAPLx',
  network: 'solana',
  quantityText: '1.50',
  wallet: 'So11111111111111111111111111111111111111112',
  participant: { accountId: '22222222-2222-4222-8222-222222222222' as AccountId },
}

/** The tests that every issuer passes. */
export function issuerSuite(name: string, make: () => TokenIssuer): void {
  const accepted = async (issuer: TokenIssuer, patch: Partial<MintRequest> = {}): Promise<string> => {
    const response = await issuer.mint({ ...mintRequest, ...patch })
    assert.ok(response.ok)
    return response.issuerRequestId
  }

  test(`${name}: the same request gets the same response, and another request another id`, async () => {
    const issuer = make()
    const first = await accepted(issuer)
    assert.equal(await accepted(issuer), first)
    assert.notEqual(await accepted(issuer, { requestId: 'another' as RequestId }), first)
  })

  test(`${name}: the notification that the shares have arrived may be repeated`, async () => {
    const issuer = make()
    const { requestId, participant } = mintRequest
    const issuerRequestId = await accepted(issuer)
    const notification: MintNotification = {
      requestId,
      issuer: mintRequest.issuer,
      issuerRequestId,
      participant,
    }
    assert.equal((await issuer.confirm(notification)).ok, true)
    assert.equal((await issuer.confirm(notification)).ok, true)
  })
}
