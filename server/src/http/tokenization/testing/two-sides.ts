import type { Called } from '../../testing/server.ts'
import { type TokenStage, WALLET } from './issuers.ts'

export const path = (accountId: string, rest: string) => `/v1/accounts/${accountId}/tokenization/${rest}`
export const requestsOf = async (stage: TokenStage, query = '') =>
  (await stage.as(stage.partnerKey, `GET ${path(stage.accountId, `requests${query}`)}`)).body
/** A mint with an idempotency key. */
export const mintAs = (stage: TokenStage, key: string, patch = {}) =>
  stage.mint(patch, { headers: { 'idempotency-key': key } })
export const callback = (stage: TokenStage, id: string, patch = {}): Promise<Called> =>
  stage.as(stage.st0x.key, `POST ${path(stage.st0x.accountId, 'callback/mint')}`, {
    body: { tokenization_request_id: id, tx_hash: '0xabc', ...patch },
  })
export const redeemBody = (stage: TokenStage, patch = {}) => ({
  issuer_request_id: '0x77',
  underlying_symbol: 'AAPL',
  token_symbol: 'tAAPL',
  qty: '1.50',
  network: 'base',
  wallet_address: WALLET,
  tx_hash: '0x77',
  client_account_id: stage.accountId,
  ...patch,
})
