import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, IssuerCode, RequestId, Ticker } from '@quipu/core'
import type { MintNews, MintQuestion, TokenIssuer } from '../issuer.ts'

export const question: MintQuestion = {
  requestId: '11111111-1111-4111-8111-111111111111' as RequestId,
  issuer: 'xstocks' as IssuerCode,
  underlying: 'AAPL' as Ticker,
  tokenSymbol: 'AAPLx',
  network: 'solana',
  quantityText: '1.50',
  wallet: 'So11111111111111111111111111111111111111112',
  participant: { accountId: '22222222-2222-4222-8222-222222222222' as AccountId },
}

/** What every issuer does with a question it has no reason to refuse. */
export function issuerSuite(name: string, make: () => TokenIssuer): void {
  const accepted = async (issuer: TokenIssuer, patch: Partial<MintQuestion> = {}): Promise<string> => {
    const answer = await issuer.mint({ ...question, ...patch })
    assert.ok(answer.ok)
    return answer.issuerRequestId
  }

  test(`${name}: the same question gets the same answer, and another request an id of its own`, async () => {
    const issuer = make()
    const first = await accepted(issuer)
    assert.equal(await accepted(issuer), first)
    assert.notEqual(await accepted(issuer, { requestId: 'another' as RequestId }), first)
  })

  test(`${name}: the news that the shares are there may come twice`, async () => {
    const issuer = make()
    const { requestId, participant } = question
    const issuerRequestId = await accepted(issuer)
    const news: MintNews = { requestId, issuer: question.issuer, issuerRequestId, participant }
    assert.equal((await issuer.confirm(news)).ok, true)
    assert.equal((await issuer.confirm(news)).ok, true)
  })
}
