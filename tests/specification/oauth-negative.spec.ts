import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../broker.ts'
import {
  accounts,
  apps,
  assertion,
  byKey,
  type Cell,
  change,
  clients,
  counted,
  create,
  deleteGrant,
  deleteSecret,
  deleteToken,
  ended,
  form,
  giveUp,
  grantFor,
  grantsOf,
  type Kind,
  kinds,
  machine,
  machineToken,
  newApp,
  onApps,
  own,
  page,
  remove,
  secretsOf,
  stranger,
  strangers,
  tokenOf,
  toldBy,
  UNKNOWN,
  withdrawn,
  works,
} from './oauth-partners.ts'
import { type Answer, get, NOBODY } from './stage.ts'

/**
 * What partners call, each with a thing that is missing, wrong, foreign, expired, replayed or disabled. The types keep
 * the table whole: a cell left out does not compile.
 */

const REFUSED = '401 oauthClientRefused'
const notOne = { missing: REFUSED, wrong: REFUSED, foreign: REFUSED, replayed: REFUSED }
const all = { ...notOne, expired: REFUSED, disabled: REFUSED }

const matrix = {
  getOAuthClient: onApps((app) => get(own.partner, `${clients}/${app.client_id}`), {
    ...notOne,
    expired: '200',
    disabled: '200',
  }),
  authorizeOAuthToken: onApps((app) => call(own.partner, 'POST', '/v1/oauth/authorize', grantFor(app)), all),
  issueOAuthToken: onApps((app) => call(own.partner, 'POST', '/v1/oauth/token', grantFor(app)), all),
  deleteOAuthToken: {
    missing: ['204', () => deleteToken('%20')],
    wrong: ['204', () => deleteToken('anything')],
    foreign: [
      '204 200',
      async () => {
        const token = await tokenOf(await newApp({}, stranger), stranger, strangers)
        return [await deleteToken(token), await works(token)]
      },
    ],
    expired: ['204', async () => deleteToken((await ended()).token)],
    replayed: [
      '204 401',
      async () => {
        const token = await tokenOf(await newApp())
        await deleteToken(token)
        return [await deleteToken(token), await works(token)]
      },
    ],
    disabled: [
      '204 401',
      async () => {
        const app = await newApp()
        const token = await tokenOf(app)
        await change(app, { status: 'DISABLED' })
        const answer = await deleteToken(token)
        await change(app, { status: 'ACTIVE' })
        return [answer, await works(token)]
      },
    ],
  },
  listOAuthClients: {
    missing: ['200', () => get(own.partner, clients)],
    wrong: ['422 invalidParameter', () => page(UNKNOWN)],
    foreign: ['422 invalidParameter', async () => page((await apps.foreign()).client_id)],
    expired: ['200', async () => page((await apps.expired()).client_id)],
    replayed: ['422 invalidParameter', async () => page((await apps.replayed()).client_id)],
    disabled: ['200', async () => page((await apps.disabled()).client_id)],
  },
  createOAuthClient: {
    missing: ['422 invalidParameter', () => create({ name: undefined })],
    wrong: ['422 invalidParameter', () => create({ redirect_uri: ['http://app.example/'] })],
    foreign: ['404 partnerNotFound', () => create({ partners: [NOBODY] })],
    expired: ['422 invalidParameter', () => create({ token_expires_in: 0 })],
    replayed: [
      '201 another',
      async () => {
        const [first, second] = [await create({ name: 'Twice' }), await create({ name: 'Twice' })]
        return [second, first.body.client_id === second.body.client_id ? 'the same' : 'another']
      },
    ],
    disabled: ['403 oauthApprovalForbidden', () => create({ live_trading_approved: true })],
  },
  getOAuthClientSettings: onApps((app) => get(own.partner, `${clients}/${app.client_id}/settings`), {
    ...notOne,
    expired: '200',
    disabled: '200',
  }),
  updateOAuthClient: onApps((app) => change(app, { name: 'Another name' }), {
    ...notOne,
    expired: '200',
    disabled: '200',
  }),
  deleteOAuthClient: onApps(remove, { ...notOne, expired: '204', disabled: '204' }),
  listOAuthClientSecrets: onApps((app) => get(own.partner, `${clients}/${app.client_id}/secrets`), {
    ...notOne,
    expired: '200',
    disabled: '200',
  }),
  createOAuthClientSecret: onApps(
    (app) => call(own.partner, 'POST', `${clients}/${app.client_id}/secrets`, {}),
    {
      ...notOne,
      expired: '201',
      disabled: '201',
    },
  ),
  deleteOAuthClientSecret: {
    missing: ['404 oauthSecretNotFound', async () => deleteSecret(await newApp(), NOBODY)],
    wrong: ['422 invalidParameter', async () => deleteSecret(await newApp(), 'wrong')],
    foreign: [
      '404 oauthSecretNotFound',
      async () => deleteSecret(await newApp(), (await secretsOf(await apps.foreign(), stranger))[0] ?? ''),
    ],
    expired: [
      '404 oauthSecretNotFound',
      async () => {
        const app = await newApp()
        const [secret = ''] = await secretsOf(app)
        await call(own.partner, 'POST', `${clients}/${app.client_id}/secrets`, { others_expire_in: 0 })
        return deleteSecret(app, secret)
      },
    ],
    replayed: [
      '404 oauthSecretNotFound',
      async () => {
        const app = await newApp()
        const [secret = ''] = await secretsOf(app)
        await deleteSecret(app, secret)
        return deleteSecret(app, secret)
      },
    ],
    disabled: [
      '204',
      async () => {
        const app = await apps.disabled()
        return deleteSecret(app, (await secretsOf(app))[0] ?? '')
      },
    ],
  },
  listOAuthGrants: {
    missing: ['200 0', () => counted('-')],
    wrong: ['200 0', () => counted(UNKNOWN)],
    foreign: [
      '200 0',
      async () => {
        const app = await newApp({}, stranger)
        await tokenOf(app, stranger, strangers)
        return counted(app.client_id)
      },
    ],
    expired: ['200 0', async () => counted((await ended()).app.client_id)],
    replayed: [
      '200 0',
      async () => {
        const app = await newApp()
        await deleteToken(await tokenOf(app))
        return counted(app.client_id)
      },
    ],
    disabled: [
      '200 1',
      async () => {
        const app = await newApp()
        await tokenOf(app)
        await change(app, { status: 'DISABLED' })
        return counted(app.client_id)
      },
    ],
  },
  deleteOAuthGrant: {
    missing: ['404 oauthGrantNotFound', () => deleteGrant(NOBODY)],
    wrong: ['422 invalidParameter', () => deleteGrant('wrong')],
    foreign: [
      '404 oauthGrantNotFound 200',
      async () => {
        const token = await tokenOf(await newApp({}, stranger), stranger, strangers)
        const [grant] = (await get(stranger, '/v1/oauth/grants')).body
        return [await deleteGrant(grant.grant_id), await works(token)]
      },
    ],
    expired: ['404 oauthGrantNotFound', async () => deleteGrant((await ended()).grant.grant_id)],
    replayed: [
      '404 oauthGrantNotFound',
      async () => {
        const app = await newApp()
        await tokenOf(app)
        const [grant] = await grantsOf(app)
        await deleteGrant(grant.grant_id)
        return deleteGrant(grant.grant_id)
      },
    ],
    disabled: [
      '204',
      async () => {
        const app = await newApp()
        await tokenOf(app)
        await change(app, { status: 'DISABLED' })
        const [grant] = await grantsOf(app)
        return deleteGrant(grant.grant_id)
      },
    ],
  },
  issueMachineToken: {
    missing: ['401 invalid_client', () => machine({})],
    wrong: ['401 invalid_client', () => machine({ ...byKey(own.partner), client_secret: 'wrong' })],
    foreign: ['400 unauthorized_client', () => machine(byKey(own))],
    expired: ['401 token_claim', async () => machine(await assertion(-60))],
    replayed: [
      '400 jti_known',
      async () => {
        const fields = await assertion(300)
        assert.equal((await machine(fields)).status, 200)
        return machine(fields)
      },
    ],
    disabled: ['401 invalid_client', async () => machine(byKey(await withdrawn()))],
  },
  revokeMachineToken: {
    missing: ['401 invalid_client', async () => form('/v1/oauth2/revoke', { token: await machineToken() })],
    wrong: [
      '401 invalid_client',
      async () => giveUp(await machineToken(), own.partner, { client_secret: 'wrong' }),
    ],
    foreign: [
      '200 200',
      async () => {
        const token = await machineToken()
        return [await giveUp(token, stranger), await accounts(token)]
      },
    ],
    expired: [
      '200',
      async () => {
        const token = await machineToken()
        await own.advance('901s')
        return giveUp(token)
      },
    ],
    replayed: [
      '200 401',
      async () => {
        const token = await machineToken()
        await giveUp(token)
        return [await giveUp(token), await accounts(token)]
      },
    ],
    disabled: ['401 invalid_client', async () => giveUp(await machineToken(), await withdrawn())],
  },
} as const satisfies Record<string, Record<Kind, Cell>>

for (const [operation, cells] of Object.entries<Record<Kind, Cell>>(matrix))
  for (const kind of kinds) {
    const [then, run] = cells[kind]
    test(`${operation} of what is ${kind}: ${then}`, async () => {
      const done = await run()
      const [answer, ...rest] = Array.isArray(done) ? done : [done]
      assert.equal([toldBy(answer as Answer), ...rest].join(' '), then)
    })
  }
