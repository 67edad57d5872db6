import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { apply } from '../apply.ts'
import { encode } from '../encode.ts'
import { emptyState } from '../state/state.ts'
import { SECOND } from '../time.ts'
import type { AppSettings } from './app.ts'
import { OAuthModel } from './testing/model.ts'
import { clientIdFor, digest } from './testing/oauth.ts'

// For random commands in any order: the invariants hold after every step (the fixture checks them), no code returns two
// tokens, and a token is valid exactly as long as in a much simpler model. A failure prints its seed: use
// `fc.assert(…, { seed })`.

const APPS = ['one', 'two', 'three'] as const
const ACCOUNTS = ['A', 'L', 'B', 'N'] as const
const SETTINGS: readonly AppSettings[] = [{}, { tokenSeconds: 30, refreshSeconds: 90 }, { tokenSeconds: 5 }]

type Action = (model: OAuthModel, n: number, m: number) => void
const at = <One>(list: readonly One[], n: number): One | undefined => list[n % Math.max(1, list.length)]

const actions: Record<string, Action> = {
  register(model, n, m) {
    const app = at(APPS, n)!
    if (model.fixture.state.clientIds.has(clientIdFor(app))) return
    const settings = at(SETTINGS, m)!
    model.fixture.register(app, settings, { liveTradingApproved: true, scopes: ['trading', 'data'] })
    model.secrets.set(app, digest(`secret of ${app}`))
    model.settings.set(app, settings)
    model.disabledApps.delete(app)
  },
  rotate(model, n, m) {
    const app = at(APPS, n)!
    const secret = model.fixture.fresh('secret')
    const othersUntil = m % 2 ? { othersUntil: model.fixture.world.now } : {}
    if (model.submit({ kind: 'addAppSecret', ...model.of(app), secret, ...othersUntil }) === 'appSecretAdded')
      model.secrets.set(app, secret)
  },
  status(model, n, m) {
    const app = at(APPS, n)!
    const status = m % 3 === 0 ? 'disabled' : 'active'
    if (model.submit({ kind: 'changeAppStatus', ...model.of(app), status }) !== 'appStatusChanged') return
    if (status === 'disabled') model.disabledApps.add(app)
    else model.disabledApps.delete(app)
  },
  deleteApp(model, n, m) {
    const app = at(APPS, n)!
    if (m % 4 === 0 && model.submit({ kind: 'deleteApp', ...model.of(app) }) === 'appDeleted')
      model.end((one) => one.app === app)
  },
  consent(model, n, m) {
    const app = at(APPS, n)!
    const accounts = at([['A'], ['L'], ['L', 'A'], ['B']] as const, m)!
    const userId = model.owners.get(accounts[0])
    const named = Object.fromEntries(
      accounts.map((name) => [name === 'L' ? 'live' : 'paper', model.fixture.account(name)]),
    )
    const { outcome, code } = model.fixture.consent({
      clientId: clientIdFor(app),
      userId,
      paper: undefined,
      ...named,
    })
    if (outcome === 'codeIssued') model.addGrant(app, accounts, code)
  },
  authorize(model, n, m) {
    const [app, name] = [at(APPS, n)!, at(ACCOUNTS, m)!]
    const code = model.fixture.fresh('code')
    const request = {
      ...model.fixture.request,
      ...model.as(app),
      accountId: model.fixture.account(name),
      code,
    }
    if (model.submit({ kind: 'authorizeApp', ...request }) === 'codeIssued') model.addGrant(app, [name], code)
  },
  issue(model, n, m) {
    const [app, name] = [at(APPS, n)!, at(ACCOUNTS, m)!]
    const token = model.fixture.fresh('token')
    const request = {
      ...model.fixture.request,
      ...model.as(app),
      accountId: model.fixture.account(name),
      token,
    }
    if (model.submit({ kind: 'issueToken', ...request }) !== 'tokenIssued') return
    model.issue(model.addGrant(app, [name]), token, model.settings.get(app)!.tokenSeconds)
  },
  exchange(model, n, m) {
    const one = at(model.grants.filter(({ code }) => code).slice(-4), n)
    if (!one?.code) return
    const as = model.as(m % 5 === 0 ? at(APPS, m)! : one.app)
    const { outcome, token, refresh } = model.fixture.exchange(one.code, as)
    if (outcome === 'codeReplayed') one.isRevoked = true
    if (outcome !== 'codeExchanged') return
    assert.ok(!one.isUsed && !one.isRevoked && model.fixture.state.lastAt - one.codeAt < 60n * SECOND)
    model.exchanged.set(one.code, (model.exchanged.get(one.code) ?? 0) + 1)
    one.isUsed = true
    model.pair(one, token, refresh)
  },
  refresh(model, n, m) {
    const known = at(model.tokens.filter(({ refreshes }) => refreshes).slice(m % 3 ? -1 : -6), n)
    if (!known) return
    const { outcome, token, refresh } = model.fixture.refresh(known.token, model.as(known.of.app))
    if (outcome === 'refreshReplayed') known.of.isRevoked = true
    if (outcome !== 'tokenRefreshed') return
    const { lastAt } = model.fixture.state
    const [first = lastAt] = known.uses
    // A refresh token works once, and once more within ten seconds.
    assert.ok(!model.hasEnded(known) && known.uses.length < 2 && lastAt - first < 10n * SECOND)
    known.uses.push(lastAt)
    model.pair(known.of, token, refresh)
  },
  revokeOwn(model, n) {
    const known = at(model.tokens.slice(-8), n)
    if (!known) return
    const outcome = model.submit({ kind: 'revokeAppToken', ...model.as(known.of.app), token: known.token })
    if (outcome === 'tokenRevoked') known.isRevoked = true
    if (outcome === 'grantRevoked') known.of.isRevoked = true
  },
  revoke(model, n) {
    const known = at(model.tokens.slice(-8), n)
    const tokenId = known && model.fixture.state.tokenDigests.get(known.token)
    if (!known || !tokenId) return
    const outcome = model.submit({ kind: 'revokeToken', partnerId: model.fixture.partnerId, tokenId })
    if (outcome === 'tokenRevoked') known.isRevoked = true
    if (outcome === 'grantRevoked') known.of.isRevoked = true
  },
  withdraw(model, n, m) {
    const [app, userId] = [at(APPS, n)!, m % 2 ? model.fixture.ann : model.fixture.bob]
    if (model.submit({ kind: 'withdrawConsent', userId, clientId: clientIdFor(app) }) === 'consentWithdrawn')
      model.end((one) => one.app === app && one.accounts.some((name) => model.owners.get(name) === userId))
  },
  wait(model, n) {
    model.fixture.world.run(`wait ${at([1, 7, 31, 61, 700], n)}`)
  },
  assign(model, n, m) {
    const name = at(ACCOUNTS, n)!
    const userId = at([model.fixture.ann, model.fixture.bob, undefined], m)
    const before = model.owners.get(name)
    const to = userId ? { userId } : {}
    if (
      model.submit({ kind: 'assignAccount', accountId: model.fixture.account(name), ...to }) !==
      'accountAssigned'
    )
      return
    model.owners.set(name, userId)
    if (before) model.end(({ accounts }) => accounts.includes(name))
  },
  user(model, n, m) {
    const userId = n % 2 ? model.fixture.ann : model.fixture.bob
    const disabled = m % 3 === 0
    model.submit({ kind: 'changeUser', userId, disabled })
    if (disabled) model.disabledUsers.add(userId)
    else model.disabledUsers.delete(userId)
  },
  signIn(model, n, m) {
    const by = { userId: n % 2 ? model.fixture.ann : model.fixture.bob }
    const nowMs = Number(model.fixture.world.now / 1_000_000n)
    model.submit({
      kind: 'signIn',
      by,
      session: model.fixture.fresh('session'),
      nowMs,
      endsAtMs: nowMs + 1000 * (m + 1),
    })
  },
}

const FREQUENT = ['exchange', 'exchange', 'refresh', 'refresh', 'authorize', 'consent']
const action = fc.tuple(
  fc.constantFrom(...Object.keys(actions), ...FREQUENT),
  fc.nat({ max: 100 }),
  fc.nat({ max: 100 }),
)

function check(model: OAuthModel): void {
  for (const known of model.tokens)
    assert.equal(model.fixture.bearer(known.token) !== undefined, model.isAccepted(known), known.token)
  for (const times of model.exchanged.values()) assert.ok(times <= 1)
}

const REVOKED_KINDS = ['codeReplayed', 'refreshReplayed', 'consentWithdrawn', 'appDeleted']
const EXPECTED_KINDS = [...REVOKED_KINDS, 'tokenRefreshed', 'tokenExpired']

test('random commands: a token is valid as long as in the model, and the invariants hold', () => {
  const kindCounts = new Map<string, number>()
  fc.assert(
    fc.property(fc.array(action, { minLength: 20, maxLength: 120, size: 'max' }), (steps) => {
      const model = new OAuthModel()
      for (const [verb, n, m] of [['register', 1, 1], ['register', 2, 2], ...steps] as const) {
        actions[verb]!(model, n, m)
        check(model)
      }
      const rebuilt = emptyState()
      for (const event of model.fixture.world.events) apply(rebuilt, event)
      assert.equal(encode(rebuilt), encode(model.fixture.state))
      for (const event of model.fixture.world.events)
        kindCounts.set(event.kind, (kindCounts.get(event.kind) ?? 0) + 1)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 75) },
  )
  for (const kind of EXPECTED_KINDS) assert.ok((kindCounts.get(kind) ?? 0) > 0, `${kind} never happened`)
})
