import assert from 'node:assert/strict'
import { call } from '../support/broker.ts'
import {
  accounts,
  apps,
  assertion,
  byKey,
  type Cell,
  change,
  clients,
  countGrants,
  create,
  deleteGrant,
  deletePartnerKey,
  deleteSecret,
  deleteToken,
  expiredGrant,
  form,
  grantFor,
  grantsOf,
  type Kind,
  machine,
  machineToken,
  newApp,
  onApps,
  page,
  remove,
  revokeToken,
  secretsOf,
  stranger,
  strangerAccount,
  testWorld,
  tokenOf,
  UNKNOWN,
  works,
} from './oauth-partners.ts'
import { get, UNKNOWN_ID } from './stage.ts'

/**
 * Each operation for partners, called with an object that is missing, wrong, foreign, expired, replayed or disabled. The
 * types require a cell for each kind.
 */

const REFUSED = '401 oauthClientRefused'
const unknownApp = { missing: REFUSED, wrong: REFUSED, foreign: REFUSED, replayed: REFUSED }
const all = { ...unknownApp, expired: REFUSED, disabled: REFUSED }

export const matrix = {
  getOAuthClient: onApps((app) => get(testWorld.partner, `${clients}/${app.client_id}`), {
    ...unknownApp,
    expired: '200',
    disabled: '200',
  }),
  authorizeOAuthToken: onApps(
    (app) => call(testWorld.partner, 'POST', '/v1/oauth/authorize', grantFor(app)),
    all,
  ),
  issueOAuthToken: onApps((app) => call(testWorld.partner, 'POST', '/v1/oauth/token', grantFor(app)), all),
  deleteOAuthToken: {
    missing: ['204', () => deleteToken('%20')],
    wrong: ['204', () => deleteToken('anything')],
    foreign: [
      '204 200',
      async () => {
        const token = await tokenOf(await newApp({}, stranger), stranger, strangerAccount)
        return [await deleteToken(token), await works(token)]
      },
    ],
    expired: ['204', async () => deleteToken((await expiredGrant()).token)],
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
        const response = await deleteToken(token)
        await change(app, { status: 'ACTIVE' })
        return [response, await works(token)]
      },
    ],
  },
  listOAuthClients: {
    missing: ['200', () => get(testWorld.partner, clients)],
    wrong: ['422 invalidParameter', () => page(UNKNOWN)],
    foreign: ['422 invalidParameter', async () => page((await apps.foreign()).client_id)],
    expired: ['200', async () => page((await apps.expired()).client_id)],
    replayed: ['422 invalidParameter', async () => page((await apps.replayed()).client_id)],
    disabled: ['200', async () => page((await apps.disabled()).client_id)],
  },
  createOAuthClient: {
    missing: ['422 invalidParameter', () => create({ name: undefined })],
    wrong: ['422 invalidParameter', () => create({ redirect_uri: ['http://app.example/'] })],
    foreign: ['404 partnerNotFound', () => create({ partners: [UNKNOWN_ID] })],
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
  getOAuthClientSettings: onApps((app) => get(testWorld.partner, `${clients}/${app.client_id}/settings`), {
    ...unknownApp,
    expired: '200',
    disabled: '200',
  }),
  updateOAuthClient: onApps((app) => change(app, { name: 'Another name' }), {
    ...unknownApp,
    expired: '200',
    disabled: '200',
  }),
  deleteOAuthClient: onApps(remove, { ...unknownApp, expired: '204', disabled: '204' }),
  listOAuthClientSecrets: onApps((app) => get(testWorld.partner, `${clients}/${app.client_id}/secrets`), {
    ...unknownApp,
    expired: '200',
    disabled: '200',
  }),
  createOAuthClientSecret: onApps(
    (app) => call(testWorld.partner, 'POST', `${clients}/${app.client_id}/secrets`, {}),
    {
      ...unknownApp,
      expired: '201',
      disabled: '201',
    },
  ),
  deleteOAuthClientSecret: {
    missing: ['404 oauthSecretNotFound', async () => deleteSecret(await newApp(), UNKNOWN_ID)],
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
        await call(testWorld.partner, 'POST', `${clients}/${app.client_id}/secrets`, { others_expire_in: 0 })
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
    missing: ['200 0', () => countGrants('-')],
    wrong: ['200 0', () => countGrants(UNKNOWN)],
    foreign: [
      '200 0',
      async () => {
        const app = await newApp({}, stranger)
        await tokenOf(app, stranger, strangerAccount)
        return countGrants(app.client_id)
      },
    ],
    expired: ['200 0', async () => countGrants((await expiredGrant()).app.client_id)],
    replayed: [
      '200 0',
      async () => {
        const app = await newApp()
        await deleteToken(await tokenOf(app))
        return countGrants(app.client_id)
      },
    ],
    disabled: [
      '200 1',
      async () => {
        const app = await newApp()
        await tokenOf(app)
        await change(app, { status: 'DISABLED' })
        return countGrants(app.client_id)
      },
    ],
  },
  deleteOAuthGrant: {
    missing: ['404 oauthGrantNotFound', () => deleteGrant(UNKNOWN_ID)],
    wrong: ['422 invalidParameter', () => deleteGrant('wrong')],
    foreign: [
      '404 oauthGrantNotFound 200',
      async () => {
        const token = await tokenOf(await newApp({}, stranger), stranger, strangerAccount)
        const [grant] = (await get(stranger, '/v1/oauth/grants')).body
        return [await deleteGrant(grant.grant_id), await works(token)]
      },
    ],
    expired: ['404 oauthGrantNotFound', async () => deleteGrant((await expiredGrant()).grant.grant_id)],
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
    wrong: ['401 invalid_client', () => machine({ ...byKey(testWorld.partner), client_secret: 'wrong' })],
    foreign: ['400 unauthorized_client', () => machine(byKey(testWorld))],
    expired: ['401 token_claim', async () => machine(await assertion(-60))],
    replayed: [
      '400 jti_known',
      async () => {
        const fields = await assertion(300)
        assert.equal((await machine(fields)).status, 200)
        return machine(fields)
      },
    ],
    disabled: ['401 invalid_client', async () => machine(byKey(await deletePartnerKey()))],
  },
  revokeMachineToken: {
    missing: ['401 invalid_client', async () => form('/v1/oauth2/revoke', { token: await machineToken() })],
    wrong: [
      '401 invalid_client',
      async () => revokeToken(await machineToken(), testWorld.partner, { client_secret: 'wrong' }),
    ],
    foreign: [
      '200 200',
      async () => {
        const token = await machineToken()
        return [await revokeToken(token, stranger), await accounts(token)]
      },
    ],
    expired: [
      '200',
      async () => {
        const token = await machineToken()
        await testWorld.advance('901s')
        return revokeToken(token)
      },
    ],
    replayed: [
      '200 401',
      async () => {
        const token = await machineToken()
        await revokeToken(token)
        return [await revokeToken(token), await accounts(token)]
      },
    ],
    disabled: ['401 invalid_client', async () => revokeToken(await machineToken(), await deletePartnerKey())],
  },
} as const satisfies Record<string, Record<Kind, Cell>>
