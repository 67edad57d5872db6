import type { Handlers, OutputOf } from '@quipu/contract'
import {
  type App,
  type AppSecret,
  appOfOwner,
  definedFields,
  formatInstant,
  found,
  type Instant,
  SECOND,
  type SecretId,
} from '@quipu/core'
import { digestOf } from '../../access/credentials.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import { accessOf } from '../broker/partner-access.ts'
import type { Context } from '../context.ts'
import { newClientSecret, ownerOf, submitApp } from './clients.ts'

type Names = 'listOAuthClientSecrets' | 'createOAuthClientSecret' | 'deleteOAuthClientSecret'

/** An app may have several secrets, so that a secret can be replaced without downtime. */
export const oauthSecretHandlers: Handlers<Context, Names> = {
  listOAuthClientSecrets: async ({ headers, params }, context) => {
    const access = accessOf(context, headers)
    const { world } = access
    const app = await context.resultOf(
      world,
      world.read((view) => appOfOwner(view, ownerOf(view, access, params.client_id))),
    )
    if (!app.ok) throw refuse(app.reason)
    return validSecrets(app.value, world).map(secretToWire)
  },

  createOAuthClientSecret: async ({ headers, params, body }, context) => {
    const access = accessOf(context, headers)
    const { world } = access
    const secret = newClientSecret()
    const seconds = body.others_expire_in
    const othersUntil =
      seconds === undefined ? undefined : ((world.now + BigInt(seconds) * SECOND) as Instant)
    const app = await submitApp(context, access, {
      kind: 'addAppSecret',
      ...ownerOf(world.view, access, params.client_id),
      secret: digestOf(secret),
      ...definedFields({ othersUntil }),
    })
    const added = found(
      app.secrets.find(({ digest }) => digest === digestOf(secret)),
      'the secret',
    )
    return { ...secretToWire(added), client_secret: secret }
  },

  deleteOAuthClientSecret: async ({ headers, params }, context) => {
    const access = accessOf(context, headers)
    await submitApp(context, access, {
      kind: 'removeAppSecret',
      ...ownerOf(access.world.view, access, params.client_id),
      secretId: params.secret_id as SecretId,
    })
    return undefined
  },
}

const validSecrets = ({ secrets }: App, { now }: World): readonly AppSecret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)

const secretToWire = ({
  id,
  createdAt,
  expiresAt,
}: AppSecret): OutputOf<'listOAuthClientSecrets'>[number] => ({
  secret_id: id,
  created_at: formatInstant(createdAt),
  expires_at: expiresAt === undefined ? null : formatInstant(expiresAt),
})
