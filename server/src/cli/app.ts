import type { OAuthClientChangesRecord, OAuthClientSettingsRecord } from '@quipu/contract'
import { type Command, type Context, UsageError } from './command.ts'
import { present } from './given.ts'
import { columns, recordLines } from './output.ts'

const which = { name: 'CLIENT_ID', about: 'Which app.' } as const
const yesNo = 'yes|no'

/** What can be said of an app, new or not. */
const told = {
  redirect: { placeholder: 'URI', about: 'Where people are sent back to; several apart by spaces.' },
  scopes: {
    placeholder: 'SCOPE,…',
    about: 'The most it may ask for: account:write, trading, data, tokenization.',
  },
  description: { placeholder: 'TEXT', about: 'What it does, for the page that asks for consent.' },
  website: { placeholder: 'URL', about: 'Its home page.' },
  terms: { placeholder: 'URL', about: 'Its terms of use.' },
  privacy: { placeholder: 'URL', about: 'Its privacy policy.' },
  public: { placeholder: yesNo, about: 'It cannot keep a secret: it has none, and always PKCE.' },
  native: {
    placeholder: yesNo,
    about: 'It runs on machines of people: a loopback redirect fits on any port.',
  },
  pkce: { placeholder: yesNo, about: 'Whether each code needs a PKCE challenge.' },
  'direct-tokens': { placeholder: yesNo, about: 'Whether partners get tokens for it without a code.' },
  'token-lifetime': {
    placeholder: 'SECONDS',
    about: 'How long its tokens last; none: until they are revoked.',
  },
  'refresh-lifetime': { placeholder: 'SECONDS', about: 'How long its refresh tokens last; none: 30 days.' },
  developer: { placeholder: 'USER', about: 'May connect live accounts of their own; none: nobody.' },
  'approve-live': { placeholder: yesNo, about: 'Whether everyone may connect live accounts.' },
} as const

export const appCommands: readonly Command[] = [
  {
    name: 'app list',
    about: 'Lists the apps of a world, newest first.',
    operations: ['listOAuthClients'],
    example: 'quipu app list',
    run: async (context) => {
      const apps = await context.operator().listOAuthClients({ ...inWorld(context), query: { limit: 1000 } })
      const { json, say } = context
      say(json ? JSON.stringify(apps) : columns(apps.map(appRow)).join('\n'))
      return 0
    },
  },
  {
    name: 'app show',
    about: 'Shows one app and which secrets it has, without the secrets.',
    arguments: [which],
    operations: ['getOAuthClientSettings', 'listOAuthClientSecrets'],
    example: 'quipu app show 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: async (context) => {
      const app = await context.operator().getOAuthClientSettings(ofApp(context))
      const secrets = await context.operator().listOAuthClientSecrets(ofApp(context))
      return shown(context, { ...app, secrets })
    },
  },
  {
    name: 'app create',
    about: 'Registers an app and shows its secret, once.',
    arguments: [{ name: 'NAME', about: 'What people read when they are asked for consent.' }],
    flags: told,
    operations: ['createOAuthClient'],
    example: 'quipu app create Charts --redirect http://localhost:3000/callback',
    run: async (context) => {
      const { redirect_uri = [], ...rest } = saidOf(context)
      const body = { ...rest, name: context.given.get('NAME')!, redirect_uri }
      return shown(context, await context.operator().createOAuthClient({ ...inWorld(context), body }))
    },
  },
  {
    name: 'app change',
    about: 'Changes what is named of an app; the rest stays.',
    arguments: [which],
    flags: { name: { placeholder: 'TEXT', about: 'What it is called from then on.' }, ...told },
    operations: ['updateOAuthClient'],
    example: 'quipu app change 7a3c52a910e1dc2abbb14da2b6b8e711 --token-lifetime 3600 --pkce yes',
    run: async (context) => {
      const body = { ...saidOf(context), ...present({ name: context.given.get('name') }) }
      return shown(context, await context.operator().updateOAuthClient({ ...ofApp(context), body }))
    },
  },
  {
    name: 'app disable',
    about: 'Refuses an app and its tokens until it is enabled again; its open streams are closed.',
    arguments: [which],
    operations: ['updateOAuthClient'],
    example: 'quipu app disable 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: (context) => changeStatus(context, 'DISABLED'),
  },
  {
    name: 'app enable',
    about: 'Lets a disabled app in again, with the tokens it had.',
    arguments: [which],
    operations: ['updateOAuthClient'],
    example: 'quipu app enable 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: (context) => changeStatus(context, 'ACTIVE'),
  },
  {
    name: 'app delete',
    about: 'Deletes an app with everything it was granted.',
    arguments: [which],
    operations: ['deleteOAuthClient'],
    example: 'quipu app delete 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: async (context) => {
      const { json, say } = context
      const call = ofApp(context)
      await context.operator().deleteOAuthClient(call)
      const { client_id } = call.params
      say(json ? JSON.stringify({ client_id, deleted: true }) : `${client_id} is deleted`)
      return 0
    },
  },
  {
    name: 'app rotate-secret',
    about: 'Makes a new secret of an app and shows it, once. The old ones stay good, or for a while.',
    arguments: [which],
    flags: {
      'others-expire-in': { placeholder: 'SECONDS', about: 'When the old ones end; 0: at once.' },
    },
    operations: ['createOAuthClientSecret'],
    example: 'quipu app rotate-secret 7a3c52a910e1dc2abbb14da2b6b8e711 --others-expire-in 86400',
    run: async (context) => {
      const body = present({ others_expire_in: seconds(context, 'others-expire-in') ?? undefined })
      return shown(context, await context.operator().createOAuthClientSecret({ ...ofApp(context), body }))
    },
  },
  {
    name: 'app end-secret',
    about: 'Ends one secret of an app at once.',
    arguments: [which, { name: 'SECRET_ID', about: 'Which of its secrets; `quipu app show` tells them.' }],
    operations: ['deleteOAuthClientSecret'],
    example: 'quipu app end-secret 7a3c52a910e1dc2abbb14da2b6b8e711 2f6d1c0b-9a8e-4d7c-b6a5-000000000011',
    run: async (context) => {
      const { given, json, say } = context
      const secret_id = given.get('SECRET_ID')!
      const { headers, params } = ofApp(context)
      await context.operator().deleteOAuthClientSecret({ headers, params: { ...params, secret_id } })
      say(json ? JSON.stringify({ secret_id, deleted: true }) : `${secret_id} has ended`)
      return 0
    },
  },
]

const inWorld = ({ config }: Context) => ({ headers: { 'x-quipu-world': config.world } })
const ofApp = (context: Context) => ({
  ...inWorld(context),
  params: { client_id: context.given.get('CLIENT_ID')! },
})

const appRow = (app: OAuthClientSettingsRecord): readonly string[] => [
  app.client_id,
  app.status,
  app.public ? 'public' : 'confidential',
  app.created_at,
  app.name,
]

async function changeStatus(context: Context, status: 'ACTIVE' | 'DISABLED'): Promise<0> {
  const app = await context.operator().updateOAuthClient({ ...ofApp(context), body: { status } })
  return shown(context, app)
}

type Said = Omit<OAuthClientChangesRecord, 'name' | 'status' | 'partners'>

/** What the flags say, in the words of the operation. What they mean is the server's to judge. */
function saidOf(context: Context): Said {
  const { given } = context
  const words = (name: string, apart: RegExp) =>
    given
      .get(name)
      ?.split(apart)
      .filter((word) => word !== '')
  return present({
    redirect_uri: words('redirect', /\s+/),
    scopes: words('scopes', /[\s,]+/) as Said['scopes'],
    description: given.get('description'),
    url: given.get('website'),
    terms_of_use: given.get('terms'),
    privacy_policy: given.get('privacy'),
    public: truthOf(context, 'public'),
    native: truthOf(context, 'native'),
    pkce_required: truthOf(context, 'pkce'),
    allow_direct_token: truthOf(context, 'direct-tokens'),
    token_expires_in: seconds(context, 'token-lifetime'),
    refresh_expires_in: seconds(context, 'refresh-lifetime'),
    developer: given.get('developer') === NONE ? null : given.get('developer'),
    live_trading_approved: truthOf(context, 'approve-live'),
  })
}

const NONE = 'none'

function truthOf({ given }: Context, name: string): boolean | undefined {
  const word = given.get(name)
  if (word === undefined || word === 'yes' || word === 'no') return word && word === 'yes'
  throw new UsageError(`--${name}: expected yes or no, received ${JSON.stringify(word)}`)
}

function seconds({ given }: Context, name: string): number | null | undefined {
  const word = given.get(name)
  if (word === undefined) return undefined
  if (word === NONE) return null
  if (/^\d{1,9}$/.test(word)) return Number(word)
  throw new UsageError(`--${name}: expected seconds or ${NONE}, received ${JSON.stringify(word)}`)
}

function shown({ json, say }: Context, record: object): 0 {
  say(json ? JSON.stringify(record) : recordLines(record as Record<string, unknown>).join('\n'))
  return 0
}
