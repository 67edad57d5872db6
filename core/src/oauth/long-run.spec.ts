import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { apply } from '../apply.ts'
import type { Command } from '../commands.ts'
import { encode } from '../encode.ts'
import type { ClientId, Digest, UserId } from '../ids.ts'
import { emptyState } from '../state.ts'
import { type Instant, SECOND } from '../time.ts'
import type { AppSettings } from './app.ts'
import { GRANT_TOKENS_MAX } from './lifetimes.ts'
import { clientIdFor, digest, Office } from './testing/oauth.ts'

// Whatever is asked for in whatever order, the books agree after every step (the office looks at them), no code gives
// two tokens, and a token works exactly as long as a much simpler account of things says. A failure prints its seed:
// `fc.assert(…, { seed })`.

type Allowed = {
  readonly app: string
  readonly accounts: readonly string[]
  readonly code: Digest | undefined
  readonly codeAt: Instant
  isUsed: boolean
  isOver: boolean
  tokens: Known[]
}
type Known = {
  readonly token: Digest
  readonly of: Allowed
  readonly refreshes: boolean
  readonly endsAt: Instant | undefined
  readonly uses: Instant[]
  isOver: boolean
}

const APPS = ['one', 'two', 'three'] as const
const ACCOUNTS = ['A', 'L', 'B', 'N'] as const
const SETTINGS: readonly AppSettings[] = [{}, { tokenSeconds: 30, refreshSeconds: 90 }, { tokenSeconds: 5 }]

/** The same world twice: as the core has it, and as a child would keep it. */
class Told {
  readonly office = new Office()
  readonly allowed: Allowed[] = []
  readonly tokens: Known[] = []
  readonly secrets = new Map<string, Digest>([['one', digest('secret of one')]])
  readonly settings = new Map<string, AppSettings>([['one', {}]])
  readonly silentApps = new Set<string>()
  readonly silentUsers = new Set<UserId>()
  readonly owners = new Map<string, UserId | undefined>([
    ['A', this.office.ann],
    ['L', this.office.ann],
    ['B', this.office.bob],
  ])
  readonly exchanged = new Map<Digest, number>()

  say(command: object): string {
    return this.office.say(command as Command)
  }

  of(app: string): { readonly partnerId: Office['partnerId']; readonly clientId: ClientId } {
    return { partnerId: this.office.partnerId, clientId: clientIdFor(app) }
  }

  as(app: string): { readonly clientId: ClientId; readonly secret: Digest } {
    return { clientId: clientIdFor(app), secret: this.secrets.get(app) ?? digest('none') }
  }

  allow(app: string, accounts: readonly string[], code?: Digest): Allowed {
    const one: Allowed = {
      app,
      accounts,
      code,
      codeAt: this.office.state.lastAt,
      isUsed: !code,
      isOver: false,
      tokens: [],
    }
    this.allowed.push(one)
    return one
  }

  issue(of: Allowed, token: Digest, seconds: number | undefined, refreshes = false): void {
    const { lastAt } = this.office.state
    const endsAt = seconds === undefined ? undefined : ((lastAt + BigInt(seconds) * SECOND) as Instant)
    const known = { token, of, refreshes, endsAt, uses: [], isOver: false }
    this.tokens.push(known)
    of.tokens.push(known)
  }

  pair(of: Allowed, token: Digest, refresh: Digest): void {
    const { tokenSeconds, refreshSeconds = 30 * 24 * 3600 } = this.settings.get(of.app)!
    const standing = of.tokens.filter((known) => !this.isGone(known))
    for (const known of standing.slice(0, Math.max(0, standing.length + 2 - GRANT_TOKENS_MAX)))
      known.isOver = true
    this.issue(of, token, tokenSeconds)
    if (tokenSeconds !== undefined) this.issue(of, refresh, refreshSeconds, true)
  }

  isGone({ of, isOver, endsAt }: Known): boolean {
    return of.isOver || isOver || (endsAt !== undefined && endsAt <= this.office.world.now)
  }

  end(isMeant: (one: Allowed) => boolean): void {
    for (const one of this.allowed) if (isMeant(one)) one.isOver = true
  }

  speaks(known: Known): boolean {
    const owner = this.owners.get(known.of.accounts[0]!)
    const isSilent = this.silentApps.has(known.of.app) || (owner !== undefined && this.silentUsers.has(owner))
    return !known.refreshes && !isSilent && !this.isGone(known)
  }

  check(): void {
    for (const known of this.tokens)
      assert.equal(this.office.bearer(known.token) !== undefined, this.speaks(known), known.token)
    for (const times of this.exchanged.values()) assert.ok(times <= 1)
  }
}

type Deed = (told: Told, n: number, m: number) => void
const at = <One>(list: readonly One[], n: number): One | undefined => list[n % Math.max(1, list.length)]

const deeds: Record<string, Deed> = {
  register(told, n, m) {
    const app = at(APPS, n)!
    if (told.office.state.clientIds.has(clientIdFor(app))) return
    const settings = at(SETTINGS, m)!
    told.office.register(app, settings, { liveTradingApproved: true, scopes: ['trading', 'data'] })
    told.secrets.set(app, digest(`secret of ${app}`))
    told.settings.set(app, settings)
    told.silentApps.delete(app)
  },
  rotate(told, n, m) {
    const app = at(APPS, n)!
    const secret = told.office.fresh('secret')
    const othersUntil = m % 2 ? { othersUntil: told.office.world.now } : {}
    if (told.say({ kind: 'addAppSecret', ...told.of(app), secret, ...othersUntil }) === 'appSecretAdded')
      told.secrets.set(app, secret)
  },
  status(told, n, m) {
    const app = at(APPS, n)!
    const status = m % 3 === 0 ? 'disabled' : 'active'
    if (told.say({ kind: 'changeAppStatus', ...told.of(app), status }) !== 'appStatusChanged') return
    if (status === 'disabled') told.silentApps.add(app)
    else told.silentApps.delete(app)
  },
  deleteApp(told, n, m) {
    const app = at(APPS, n)!
    if (m % 4 === 0 && told.say({ kind: 'deleteApp', ...told.of(app) }) === 'appDeleted')
      told.end((one) => one.app === app)
  },
  consent(told, n, m) {
    const app = at(APPS, n)!
    const accounts = at([['A'], ['L'], ['L', 'A'], ['B']] as const, m)!
    const userId = told.owners.get(accounts[0])
    const named = Object.fromEntries(
      accounts.map((name) => [name === 'L' ? 'live' : 'paper', told.office.account(name)]),
    )
    const { said, code } = told.office.consent({
      clientId: clientIdFor(app),
      userId,
      paper: undefined,
      ...named,
    })
    if (said === 'codeIssued') told.allow(app, accounts, code)
  },
  authorize(told, n, m) {
    const [app, name] = [at(APPS, n)!, at(ACCOUNTS, m)!]
    const code = told.office.fresh('code')
    const ask = { ...told.office.ask, ...told.as(app), accountId: told.office.account(name), code }
    if (told.say({ kind: 'authorizeApp', ...ask }) === 'codeIssued') told.allow(app, [name], code)
  },
  issue(told, n, m) {
    const [app, name] = [at(APPS, n)!, at(ACCOUNTS, m)!]
    const token = told.office.fresh('token')
    const ask = { ...told.office.ask, ...told.as(app), accountId: told.office.account(name), token }
    if (told.say({ kind: 'issueToken', ...ask }) !== 'tokenIssued') return
    told.issue(told.allow(app, [name]), token, told.settings.get(app)!.tokenSeconds)
  },
  exchange(told, n, m) {
    const one = at(told.allowed.filter(({ code }) => code).slice(-4), n)
    if (!one?.code) return
    const as = told.as(m % 5 === 0 ? at(APPS, m)! : one.app)
    const { said, token, refresh } = told.office.exchange(one.code, as)
    if (said === 'codeReplayed') one.isOver = true
    if (said !== 'codeExchanged') return
    assert.ok(!one.isUsed && !one.isOver && told.office.state.lastAt - one.codeAt < 60n * SECOND)
    told.exchanged.set(one.code, (told.exchanged.get(one.code) ?? 0) + 1)
    one.isUsed = true
    told.pair(one, token, refresh)
  },
  refresh(told, n, m) {
    const known = at(told.tokens.filter(({ refreshes }) => refreshes).slice(m % 3 ? -1 : -6), n)
    if (!known) return
    const { said, token, refresh } = told.office.refresh(known.token, told.as(known.of.app))
    if (said === 'refreshReplayed') known.of.isOver = true
    if (said !== 'tokenRefreshed') return
    const { lastAt } = told.office.state
    const [first = lastAt] = known.uses
    // Once, and once more within ten seconds.
    assert.ok(!told.isGone(known) && known.uses.length < 2 && lastAt - first < 10n * SECOND)
    known.uses.push(lastAt)
    told.pair(known.of, token, refresh)
  },
  revokeOwn(told, n) {
    const known = at(told.tokens.slice(-8), n)
    if (!known) return
    const said = told.say({ kind: 'revokeOwnToken', ...told.as(known.of.app), token: known.token })
    if (said === 'tokenRevoked') known.isOver = true
    if (said === 'grantRevoked') known.of.isOver = true
  },
  revoke(told, n) {
    const known = at(told.tokens.slice(-8), n)
    const tokenId = known && told.office.state.tokenDigests.get(known.token)
    if (!known || !tokenId) return
    const said = told.say({ kind: 'revokeToken', partnerId: told.office.partnerId, tokenId })
    if (said === 'tokenRevoked') known.isOver = true
    if (said === 'grantRevoked') known.of.isOver = true
  },
  withdraw(told, n, m) {
    const [app, userId] = [at(APPS, n)!, m % 2 ? told.office.ann : told.office.bob]
    if (told.say({ kind: 'withdrawConsent', userId, clientId: clientIdFor(app) }) === 'consentWithdrawn')
      told.end((one) => one.app === app && one.accounts.some((name) => told.owners.get(name) === userId))
  },
  wait(told, n) {
    told.office.world.run(`wait ${at([1, 7, 31, 61, 700], n)}`)
  },
  assign(told, n, m) {
    const name = at(ACCOUNTS, n)!
    const userId = at([told.office.ann, told.office.bob, undefined], m)
    const before = told.owners.get(name)
    const to = userId ? { userId } : {}
    if (
      told.say({ kind: 'assignAccount', accountId: told.office.account(name), ...to }) !== 'accountAssigned'
    )
      return
    told.owners.set(name, userId)
    if (before) told.end(({ accounts }) => accounts.includes(name))
  },
  user(told, n, m) {
    const userId = n % 2 ? told.office.ann : told.office.bob
    const disabled = m % 3 === 0
    told.say({ kind: 'changeUser', userId, disabled })
    if (disabled) told.silentUsers.add(userId)
    else told.silentUsers.delete(userId)
  },
  signIn(told, n, m) {
    const by = { userId: n % 2 ? told.office.ann : told.office.bob }
    const nowMs = Number(told.office.world.now / 1_000_000n)
    told.say({
      kind: 'signIn',
      by,
      session: told.office.fresh('session'),
      nowMs,
      endsAtMs: nowMs + 1000 * (m + 1),
    })
  },
}

const deed = fc.tuple(
  fc.constantFrom(
    ...Object.keys(deeds),
    'exchange',
    'exchange',
    'refresh',
    'refresh',
    'authorize',
    'consent',
  ),
  fc.nat({ max: 100 }),
  fc.nat({ max: 100 }),
)

test('whatever is asked for, a token works as long as it should, and the books agree', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(fc.array(deed, { minLength: 20, maxLength: 120, size: 'max' }), (steps) => {
      const told = new Told()
      for (const [verb, n, m] of [['register', 1, 1], ['register', 2, 2], ...steps] as const) {
        deeds[verb]!(told, n, m)
        told.check()
      }
      const again = emptyState()
      for (const event of told.office.world.events) apply(again, event)
      assert.equal(encode(again), encode(told.office.state))
      for (const event of told.office.world.events) seen.set(event.kind, (seen.get(event.kind) ?? 0) + 1)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 150) },
  )
  for (const kind of [
    'codeReplayed',
    'refreshReplayed',
    'tokenRefreshed',
    'tokenExpired',
    'consentWithdrawn',
    'appDeleted',
  ])
    assert.ok((seen.get(kind) ?? 0) > 0, `${kind} never happened`)
})
