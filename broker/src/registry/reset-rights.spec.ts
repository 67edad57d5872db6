import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  auditFaults,
  type ClientId,
  type Command,
  type Digest,
  type Instant,
  type IssuerCode,
  type KeyId,
  SECOND,
  type View,
  type WorldId,
} from '@quipu/core'
import fc from 'fast-check'
import { seedWorld } from '../access/issue-keys.ts'
import { MONDAY, plainSettings } from '../world/testing/world.ts'
import type { World } from '../world/world.ts'
import { openDurableWorlds } from './testing/durable-worlds.ts'

const cash = plainSettings.startingCash
const digestOf = (n: number) => n.toString(16).padStart(64, '0') as Digest

/** Draws things of the world by a number, so that the same numbers give the same commands. */
class Draw {
  readonly #view: View
  readonly #at: Instant
  readonly #n: number

  constructor(world: World, n: number) {
    this.#view = world.view
    this.#at = world.engine.latest
    this.#n = n
  }

  /** A command of one kind, or undefined if the world has nothing that it could name. */
  command(kind: keyof typeof commands): Command | undefined {
    try {
      return commands[kind](this, this.#n) as Command
    } catch (error) {
      if (error === NOTHING) return undefined
      throw error
    }
  }

  /** A time of expiry that is soon over, or not. */
  soon = (): Instant => (this.#at + BigInt(1 + (this.#n % 40)) * 60n * SECOND) as Instant
  partner = () => this.#one(this.#view.partners).id
  user = () => this.#one(this.#view.users).id
  key = () => this.#one(this.#view.keys).id
  partnerKey = () => this.#one(this.#view.keys, ({ owner }) => owner.kind === 'partner').id
  account = () => this.#one(this.#view.accounts, ({ issuer }) => issuer === undefined).id
  owned = () => this.#one(this.#view.accounts, ({ userId, closedAt }) => !!userId && !closedAt)
  app = () => this.#one(this.#view.apps)

  #one<Value>(map: ReadonlyMap<unknown, Value>, isFit: (value: Value) => boolean = () => true): Value {
    const fit = [...map.values()].filter(isFit)
    if (fit.length === 0) throw NOTHING
    return fit[this.#n % fit.length]!
  }
}

const NOTHING = new Error('nothing to draw')
const ofApp = (draw: Draw) => ({ clientId: draw.app().clientId, partnerId: draw.app().owner })

/** Commands that give, limit or withdraw rights. */
const commands = {
  addPartner: (_, n) => ({ kind: 'addPartner', name: `partner ${n}` }),
  addUser: (_, n) => ({ kind: 'addUser', name: `user ${n}`, password: 'p' }),
  changeUser: (draw, n) => ({ kind: 'changeUser', userId: draw.user(), disabled: n % 2 === 0 }),
  removeUser: (draw) => ({ kind: 'removeUser', userId: draw.user() }),
  openAccount: (draw, n) => ({
    kind: 'openAccount',
    flavour: 'paper',
    partnerId: draw.partner(),
    cash,
    ...(n % 2 && { userId: draw.user() }),
  }),
  assignAccount: (draw, n) => ({
    kind: 'assignAccount',
    accountId: draw.account(),
    ...(n % 2 && { userId: draw.user() }),
  }),
  closeAccount: (draw) => ({ kind: 'closeAccount', accountId: draw.account(), empty: true }),
  issueKey: (draw, n) => ({
    kind: 'issueKey',
    keyId: `CK${n}` as KeyId,
    owner:
      n % 3
        ? { kind: 'partner', partnerId: draw.partner(), operator: false }
        : { kind: 'account', accountId: draw.account() },
    digest: digestOf(n),
    ...(n % 2 && { expiresAt: draw.soon() }),
  }),
  limitKey: (draw) => ({ kind: 'limitKey', keyId: draw.key(), expiresAt: draw.soon() }),
  revokeKey: (draw) => ({ kind: 'revokeKey', keyId: draw.key() }),
  issueMachineToken: (draw, n) => ({
    kind: 'issueMachineToken',
    keyId: draw.partnerKey(),
    token: digestOf(n),
    ...(n % 2 && { assertion: { digest: digestOf(n + 1), now: 1n as Instant, expiresAt: 9n as Instant } }),
  }),
  registerApp: (draw, n) => ({
    kind: 'registerApp',
    clientId: digestOf(n).slice(-32) as string as ClientId,
    owner: draw.partner(),
    secret: digestOf(n),
    ...appDetails,
  }),
  changeApp: (draw, n) => ({
    kind: 'changeApp',
    ...ofApp(draw),
    change: n % 3 ? { name: `app ${n}` } : { settings: { isPublic: true } },
  }),
  changeAppStatus: (draw, n) => ({
    kind: 'changeAppStatus',
    ...ofApp(draw),
    status: n % 2 ? 'active' : 'disabled',
  }),
  addAppSecret: (draw, n) => ({
    kind: 'addAppSecret',
    ...ofApp(draw),
    secret: digestOf(n),
    ...(n % 2 && { othersUntil: draw.soon() }),
  }),
  removeAppSecret: (draw, n) => {
    const { secrets } = draw.app()
    if (secrets.length === 0) throw NOTHING
    return { kind: 'removeAppSecret', ...ofApp(draw), secretId: secrets[n % secrets.length]!.id }
  },
  deleteApp: (draw) => ({ kind: 'deleteApp', ...ofApp(draw) }),
  consent: (draw, n) => ({
    kind: 'consent',
    userId: draw.owned().userId!,
    clientId: draw.app().clientId,
    redirectUri: appDetails.redirectUris[0],
    scope: 'trading',
    paper: draw.owned().id,
    code: digestOf(n),
  }),
  signIn: (draw, n) => ({
    kind: 'signIn',
    by: { userId: draw.user() },
    session: digestOf(n),
    nowMs: 1,
    endsAtMs: 9,
  }),
  registerIssuer: (draw) => ({
    kind: 'registerIssuer',
    code: 'new' as IssuerCode,
    name: 'New',
    accountId: draw.account(),
    listings: [],
    external: { partnerId: draw.partner(), urls: { mint: 'm', confirm: 'c' }, auth: 'apiKey', apiKey: 'k' },
  }),
} satisfies Partial<Record<Command['kind'], (draw: Draw, n: number) => Command>>

const appDetails = {
  name: 'app',
  description: '',
  url: '',
  termsOfUse: '',
  privacyPolicy: '',
  redirectUris: ['https://app.example/callback'],
  scopes: ['trading'],
  liveTradingApproved: false,
} as const

/** Everything that the world accepts from somebody, as text. */
function rightsOf({ view, engine }: World): readonly string[] {
  const { latest } = engine
  const isValid = ({ expiresAt }: { readonly expiresAt?: Instant }) => !expiresAt || expiresAt > latest
  const left = ({ expiresAt }: { readonly expiresAt?: Instant }) =>
    expiresAt && `for ${Math.round(Number((expiresAt - latest) / SECOND) / 60)} minutes`
  const mayCallAll = (id: string) => !view.partners.get(id as never)?.issuer
  return [
    ...[...view.keys.values()]
      .filter(isValid)
      .flatMap(({ id, owner, ...key }) => [
        `key ${id} ${left(key)}`,
        ...(owner.kind === 'partner' && mayCallAll(owner.partnerId) ? [`all of key ${id}`] : []),
      ]),
    ...[...view.machineTokens].filter(([, token]) => isValid(token)).map(([digest]) => `machine ${digest}`),
    ...[...view.apps.values()]
      .filter(({ status }) => status === 'active')
      .flatMap(({ id, name, isPublic, secrets }) => [
        `app ${id} ${name} ${isPublic}`,
        ...secrets.filter(isValid).map((secret) => `secret ${secret.digest} ${left(secret)}`),
      ]),
    ...[...view.users.values()].filter(({ disabled }) => !disabled).map(({ id }) => `user ${id}`),
    ...[...view.accounts.values()].flatMap(({ id, userId }) => (userId ? [`owner ${id} ${userId}`] : [])),
    ...[...view.sessions.keys()].map((digest) => `session ${digest}`),
    ...[...view.grants.keys()].map((id) => `grant ${id}`),
    ...[...view.tokens.keys()].map((id) => `token ${id}`),
  ]
}

const kinds = Object.keys(commands) as (keyof typeof commands)[]
const steps = fc.array(fc.tuple(fc.constantFrom(...kinds, 'advance' as const), fc.nat(10_000)), {
  minLength: 20,
  maxLength: 60,
})

test('a reset revives no right, uses no assertion twice, and leaves a sound world', async (t) => {
  const { worlds } = await openDurableWorlds(t)
  let count = 0
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const id = `reset-${(count += 1)}` as WorldId
      const complete = async (world: World) => void (await seedWorld(world, { accounts: ['paper'], cash }))
      let entry = await worlds.lifecycle.create(id, plainSettings, MONDAY, { isDurable: false, complete })
      for (const [kind, n] of drawn)
        if (kind === 'advance')
          await entry.clock!.advance((entry.world.engine.latest + 900n * SECOND) as Instant)
        else {
          const command = new Draw(entry.world, n).command(kind)
          if (command) await entry.world.commands.submit(command, () => undefined)
        }
      const before = new Set(rightsOf(entry.world))
      const assertions = [...entry.world.view.assertions.keys()]
      entry = await worlds.lifecycle.reset({ ...entry, origin: entry.origin! })
      const { view } = entry.world
      assert.deepEqual(
        rightsOf(entry.world).filter((right) => !before.has(right)),
        [],
      )
      assert.deepEqual([...view.assertions.keys()], assertions)
      assert.deepEqual(auditFaults(view), [])
      await worlds.lifecycle.delete(id)
    }),
    { numRuns: 40 },
  )
})
