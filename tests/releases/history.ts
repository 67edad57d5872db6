import type {
  AccountId,
  ClientOrderId,
  Command,
  Decision,
  Instant,
  IssuerCode,
  OrderId,
  Price,
  Quantity,
  Side,
  Ticker,
} from '@quipu/core'
import { digestOf } from '../../broker/src/access/credentials.ts'
import { execute, issueKey } from '../../broker/src/access/issue-keys.ts'
import type { VirtualClock } from '../../broker/src/clock/virtual.ts'
import { amount, instant } from '../../broker/src/world/testing/world.ts'
import type { World } from '../../broker/src/world/world.ts'
import { firstStart } from '../../server/src/start/first-start.ts'

/** Keys and secrets of a fictional owner; they work only on copies of these folders. */
export const credentials = {
  keyId: 'PKRELEASE0000000PAPR',
  secretKey: 'a-secret-of-a-kept-release-paper-account',
  brokerKey: 'CKRELEASE0000000OPER',
  brokerSecret: 'a-secret-of-a-kept-release-operator-0000',
  oauthClientId: '0123456789abcdef0123456789abcdef',
  oauthClientSecret: '0123456789abcdef0123456789abcdef01234567',
  oauthRedirectUri: 'http://localhost:8080/callback',
  userName: 'owner',
  userPassword: 'a-password-of-a-kept',
}

export const liveKey = {
  keyId: 'AKRELEASE0000000LIVE',
  secretKey: 'a-secret-of-a-kept-release-live-accounts',
}
export const revokedKey = {
  keyId: 'PKRELEASE0000000GONE',
  secretKey: 'a-secret-of-a-kept-release-revoked-keys0',
}
export const tokens = { byCode: 'token-by-code', direct: 'token-direct', revoked: 'token-revoked' }

/** Monday, 10:00 in New York. */
export const START = instant('2025-01-06T15:00:00Z')

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const UNKNOWN_WALLET = '0x000000000000000000000000000000000000dEaD'

/**
 * A few days of a broker with every kind of event, at whose end nothing is pending: market and limit orders, day and
 * gtc, that fill at once, partially, later or never; cancels and expiry; sales and settlement; mints that succeed and
 * one that is refused; an app with a code and tokens; keys, one of them revoked.
 */
export async function recordHistory(world: World, clock: VirtualClock): Promise<string> {
  const { accountId } = await firstStart(world, credentials, amount('100000'))
  const paper = accountId as AccountId
  const live = [...world.view.accounts.values()].find(({ flavour }) => flavour === 'live')!.id
  const recorder = new Recorder(world, clock)
  await issueKey(world, { kind: 'account', accountId: live }, liveKey)
  await issueKey(world, { kind: 'account', accountId: paper }, revokedKey)
  await execute(world, { kind: 'revokeKey', keyId: revokedKey.keyId as never }, 'keyRevoked')
  await firstDay(recorder, paper, live)
  await authorizeApp(world, paper)
  await recorder.until('2025-01-07T15:00:00Z')
  await secondDay(recorder, paper, live)
  // Two trading days later everything has settled.
  await recorder.until('2025-01-10T13:00:00Z')
  return accountId
}

async function firstDay(recorder: Recorder, paper: AccountId, live: AccountId): Promise<void> {
  await recorder.order(paper, 'whole', 'buy', 'AAPL', '10')
  await recorder.order(paper, 'fraction', 'buy', 'MSFT', '0.123456789')
  await recorder.order(paper, 'many', 'buy', 'F', '4000')
  await recorder.order(paper, 'to-mint', 'buy', 'KO', '12')
  await recorder.order(live, 'marketable', 'buy', 'NVDA', '3', { limit: '100000', gtc: true })
  await recorder.order(paper, 'ends-with-the-day', 'buy', 'SPY', '2', { limit: '1.50' })
  await recorder.order(paper, 'after-hours', 'buy', 'SPY', '1', { limit: '2.25', extended: true })
  await recorder.order(live, 'given-up', 'buy', 'F', '100', { limit: '1', gtc: true })
  await recorder.order(paper, 'over-night', 'buy', 'QQQ', '5', { limit: '1.01', gtc: true })
  await recorder.refused(paper, 'too-dear', 'buy', 'AAPL', '1000000')
  await recorder.until('2025-01-06T15:30:00Z')
  await recorder.order(paper, 'same-day-sale', 'sell', 'AAPL', '4')
  await recorder.cancel(live, 'given-up')
  await recorder.mint(paper, 'KO', '2.5', WALLET, 'first-mint')
  await recorder.mint(paper, 'KO', '1', UNKNOWN_WALLET, 'refused-mint')
}

async function secondDay(recorder: Recorder, paper: AccountId, live: AccountId): Promise<void> {
  await recorder.order(paper, 'in-parts', 'sell', 'F', '1000')
  await recorder.until('2025-01-07T15:01:00Z')
  await recorder.order(live, 'rest-given-up', 'buy', 'F', '6000', { limit: '14.5' })
  await recorder.until('2025-01-07T15:01:00.021Z')
  await recorder.cancel(live, 'rest-given-up')
  await recorder.order(paper, 'all-of-it', 'sell', 'MSFT', '0.123456789')
  await recorder.order(live, 'above', 'sell', 'NVDA', '1', { limit: '99999.99', gtc: true })
  await recorder.mint(paper, 'AAPL', '1', WALLET)
  await recorder.until('2025-01-07T18:00:00Z')
  await recorder.order(live, 'below', 'sell', 'NVDA', '2', { limit: '0.01' })
  await recorder.cancel(live, 'above')
  await recorder.cancel(paper, 'over-night')
}

/** Exchanges a code for a token, issues a token directly, and revokes a third token. */
async function authorizeApp(world: World, accountId: AccountId): Promise<void> {
  const [partnerId] = world.view.partners.keys()
  const app = {
    clientId: credentials.oauthClientId,
    secret: digestOf(credentials.oauthClientSecret),
    redirectUri: credentials.oauthRedirectUri,
  }
  const grant = { ...app, partnerId: partnerId!, scope: 'trading', accountId }
  const code = digestOf('code')
  await execute(world, { kind: 'authorizeApp', ...grant, code }, 'codeIssued')
  await execute(world, { kind: 'exchangeCode', ...app, code, token: digestOf(tokens.byCode) }, 'tokenIssued')
  await execute(world, { kind: 'issueToken', ...grant, token: digestOf(tokens.direct) }, 'tokenIssued')
  const revoked = { kind: 'issueToken', ...grant, token: digestOf(tokens.revoked) } as const
  const { tokenId } = await execute(world, revoked, 'tokenIssued')
  await execute(world, { kind: 'revokeToken', partnerId: partnerId!, tokenId }, 'tokenRevoked')
}

type Terms = { readonly limit?: string; readonly gtc?: true; readonly extended?: true }

class Recorder {
  readonly #world: World
  readonly #clock: VirtualClock
  readonly #orders = new Map<string, OrderId>()

  constructor(world: World, clock: VirtualClock) {
    this.#world = world
    this.#clock = clock
  }

  async order(
    account: AccountId,
    name: string,
    side: Side,
    symbol: string,
    quantity: string,
    terms: Terms = {},
  ) {
    const events = await this.#execute(orderFrom(account, name, side, symbol, quantity, terms))
    const accepted = events.find((event) => event.kind === 'orderAccepted')
    this.#orders.set(name, accepted!.order.id)
  }

  async refused(account: AccountId, name: string, side: Side, symbol: string, quantity: string) {
    const { ok } = await this.#submit(orderFrom(account, name, side, symbol, quantity, {}))
    if (ok) throw new Error(`${name} was accepted; expected a refusal`)
  }

  async cancel(accountId: AccountId, name: string): Promise<void> {
    await this.#execute({ kind: 'cancelOrder', accountId, orderId: this.#orders.get(name)! })
  }

  async mint(accountId: AccountId, underlying: string, quantity: string, wallet: string, label?: string) {
    await this.#execute({
      kind: 'requestMint',
      accountId,
      issuer: 'xstocks' as IssuerCode,
      network: 'ethereum',
      underlying: underlying as Ticker,
      quantity: amount<Quantity>(quantity),
      quantityText: quantity,
      wallet,
      ...(label === undefined ? {} : { label, idempotency: { key: label, bodyHash: `body of ${label}` } }),
    })
  }

  async until(time: string): Promise<void> {
    await this.#clock.advance(instant(time) as Instant)
  }

  async #execute(command: Command) {
    const decision = await this.#submit(command)
    if (!decision.ok) throw new Error(`${command.kind} was refused: ${decision.reason.code}`)
    return decision.value
  }

  /** Waits until everything that a command causes is done. */
  async #submit(command: Command): Promise<Decision> {
    const { value } = await this.#world.commands.submit(command, (_, decision) => decision)
    await this.#world.commands.quiet()
    return value
  }
}

const orderFrom = (
  accountId: AccountId,
  name: string,
  side: Side,
  symbol: string,
  quantity: string,
  { limit, gtc, extended }: Terms,
): Command => ({
  kind: 'placeOrder',
  accountId,
  clientOrderId: name as ClientOrderId,
  symbol: symbol as Ticker,
  side,
  type: limit === undefined ? 'market' : 'limit',
  timeInForce: gtc ? 'gtc' : 'day',
  extendedHours: extended ?? false,
  quantity: amount<Quantity>(quantity),
  ...(limit === undefined ? {} : { limit: amount<Price>(limit) }),
})
