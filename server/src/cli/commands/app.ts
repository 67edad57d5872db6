import type { OAuthClientChangesRecord, OAuthClientSettingsRecord } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, type Flag, UsageError } from '../command.ts'
import { type Column, printList, printRecord, utc } from '../output.ts'

const which = { name: 'CLIENT_ID', about: 'Client id of the app.' } as const
const yesNo = 'yes|no'

/** The fields of an app. */
const appFlags = {
  redirect: { placeholder: 'URI', about: 'Redirect URIs, separated by spaces.' },
  scopes: {
    placeholder: 'SCOPE,…',
    about: 'Scopes it may ask for: account:write, trading, data, tokenization. Default: the first three.',
  },
  description: { placeholder: 'TEXT', about: 'What it does, for the consent page.' },
  website: { placeholder: 'URL', about: 'Home page.' },
  terms: { placeholder: 'URL', about: 'Terms of use.' },
  privacy: { placeholder: 'URL', about: 'Privacy policy.' },
  public: { placeholder: yesNo, about: 'Public client: no secret, always PKCE. Default: no.' },
  native: {
    placeholder: yesNo,
    about: 'Native app: a loopback redirect may use any port. Default: no.',
  },
  pkce: { placeholder: yesNo, about: 'Require a PKCE challenge for each code. Default: no.' },
  'direct-tokens': {
    placeholder: yesNo,
    about: 'Let partners get tokens for it without a code. Default: yes.',
  },
  'token-lifetime': {
    placeholder: 'SECONDS',
    about: 'Lifetime of access tokens; none: until revoked. Default: none.',
  },
  'refresh-lifetime': {
    placeholder: 'SECONDS',
    about: 'Lifetime of refresh tokens; none: 30 days. Default: none.',
  },
  developer: {
    placeholder: 'USER',
    about: 'User who may connect their own live accounts; none: nobody. Default: none.',
  },
  'approve-live': { placeholder: yesNo, about: 'Let everyone connect live accounts. Default: no.' },
} as const

/** A change keeps the fields that it does not name, so the defaults of a new app do not apply. */
const unchangedByDefault: Readonly<Record<string, Flag>> = Object.fromEntries(
  Object.entries<Flag>(appFlags).map(([name, flag]) => [
    name,
    { ...flag, about: flag.about.replace(/ Default: .*$/, '') },
  ]),
)

export const appCommands: readonly Command[] = [
  {
    name: 'app list',
    about: 'List the apps of a world, newest first.',
    operations: ['listOAuthClients'],
    example: 'quipu app list',
    run: async (context) => {
      const apps = await context.operator().listOAuthClients({ ...inWorld(context), query: { limit: 1000 } })
      return printList(context, apps, appTable, 'no apps')
    },
  },
  {
    name: 'app show',
    about: 'Show one app and the ids of its secrets.',
    arguments: [which],
    operations: ['getOAuthClientSettings', 'listOAuthClientSecrets'],
    example: 'quipu app show 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: async (context) => {
      const app = await context.operator().getOAuthClientSettings(ofApp(context))
      const secrets = await context.operator().listOAuthClientSecrets(ofApp(context))
      return printRecord(context, { ...app, secrets })
    },
  },
  {
    name: 'app create',
    about: 'Create an app. The secret is shown once.',
    arguments: [{ name: 'NAME', about: 'Name on the consent page.' }],
    flags: appFlags,
    operations: ['createOAuthClient'],
    example: 'quipu app create Charts --redirect http://localhost:3000/callback',
    run: async (context) => {
      const { redirect_uri = [], ...rest } = appFields(context)
      const body = { ...rest, name: context.args.get('NAME')!, redirect_uri }
      return printRecord(context, await context.operator().createOAuthClient({ ...inWorld(context), body }))
    },
  },
  {
    name: 'app update',
    about: 'Update the given fields of an app.',
    arguments: [which],
    flags: { name: { placeholder: 'TEXT', about: 'New name.' }, ...unchangedByDefault },
    operations: ['updateOAuthClient'],
    example: 'quipu app update 7a3c52a910e1dc2abbb14da2b6b8e711 --token-lifetime 3600 --pkce yes',
    run: async (context) => {
      const body = { ...appFields(context), ...definedFields({ name: context.args.get('name') }) }
      return printRecord(context, await context.operator().updateOAuthClient({ ...ofApp(context), body }))
    },
  },
  {
    name: 'app disable',
    about: 'Disable an app and its tokens, and close its open streams.',
    arguments: [which],
    operations: ['updateOAuthClient'],
    example: 'quipu app disable 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: (context) => changeStatus(context, 'DISABLED'),
  },
  {
    name: 'app enable',
    about: 'Enable a disabled app again, with the tokens it had.',
    arguments: [which],
    operations: ['updateOAuthClient'],
    example: 'quipu app enable 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: (context) => changeStatus(context, 'ACTIVE'),
  },
  {
    name: 'app delete',
    about: 'Delete an app with all its grants.',
    arguments: [which],
    operations: ['deleteOAuthClient'],
    example: 'quipu app delete 7a3c52a910e1dc2abbb14da2b6b8e711',
    run: async (context) => {
      const { json, print } = context
      const call = ofApp(context)
      await context.operator().deleteOAuthClient(call)
      const { client_id } = call.params
      print(json ? JSON.stringify({ client_id, deleted: true }) : `${client_id} is deleted`)
      return 0
    },
  },
  {
    name: 'app rotate-secret',
    about: 'Create a new secret of an app and show it once. Old secrets stay valid.',
    arguments: [which],
    flags: {
      'others-expire-in': {
        placeholder: 'SECONDS',
        about: 'End the old secrets after this time; 0: at once. Default: never.',
      },
    },
    operations: ['createOAuthClientSecret'],
    example: 'quipu app rotate-secret 7a3c52a910e1dc2abbb14da2b6b8e711 --others-expire-in 86400',
    run: async (context) => {
      const body = definedFields({ others_expire_in: seconds(context, 'others-expire-in') ?? undefined })
      return printRecord(
        context,
        await context.operator().createOAuthClientSecret({ ...ofApp(context), body }),
      )
    },
  },
  {
    name: 'app delete-secret',
    about: 'Delete one secret of an app at once.',
    arguments: [which, { name: 'SECRET_ID', about: 'Id of the secret, from `quipu app show`.' }],
    operations: ['deleteOAuthClientSecret'],
    example: 'quipu app delete-secret 7a3c52a910e1dc2abbb14da2b6b8e711 2f6d1c0b-9a8e-4d7c-b6a5-000000000011',
    run: async (context) => {
      const { args, json, print } = context
      const secret_id = args.get('SECRET_ID')!
      const { headers, params } = ofApp(context)
      await context.operator().deleteOAuthClientSecret({ headers, params: { ...params, secret_id } })
      print(json ? JSON.stringify({ secret_id, deleted: true }) : `${secret_id} is deleted`)
      return 0
    },
  },
]

const inWorld = ({ config }: Context) => ({ headers: { 'x-quipu-world': config.world } })
const ofApp = (context: Context) => ({
  ...inWorld(context),
  params: { client_id: context.args.get('CLIENT_ID')! },
})

const appTable: readonly Column<OAuthClientSettingsRecord>[] = [
  ['CLIENT ID', (app) => app.client_id],
  ['NAME', (app) => app.name, 12],
  ['STATUS', (app) => app.status],
  ['TYPE', (app) => (app.public ? 'public' : 'confidential')],
  ['CREATED (UTC)', (app) => utc(app.created_at)?.slice(0, 16)],
]

async function changeStatus(context: Context, status: 'ACTIVE' | 'DISABLED'): Promise<0> {
  const app = await context.operator().updateOAuthClient({ ...ofApp(context), body: { status } })
  return printRecord(context, app)
}

type AppFields = Omit<OAuthClientChangesRecord, 'name' | 'status' | 'partners'>

/** The flags as fields of the request. The server checks them. */
function appFields(context: Context): AppFields {
  const { args } = context
  const words = (name: string, separator: RegExp) =>
    args
      .get(name)
      ?.split(separator)
      .filter((word) => word !== '')
  return definedFields({
    redirect_uri: words('redirect', /\s+/),
    scopes: words('scopes', /[\s,]+/) as AppFields['scopes'],
    description: args.get('description'),
    url: args.get('website'),
    terms_of_use: args.get('terms'),
    privacy_policy: args.get('privacy'),
    public: truthOf(context, 'public'),
    native: truthOf(context, 'native'),
    pkce_required: truthOf(context, 'pkce'),
    allow_direct_token: truthOf(context, 'direct-tokens'),
    token_expires_in: seconds(context, 'token-lifetime'),
    refresh_expires_in: seconds(context, 'refresh-lifetime'),
    developer: args.get('developer') === NONE ? null : args.get('developer'),
    live_trading_approved: truthOf(context, 'approve-live'),
  })
}

const NONE = 'none'

function truthOf({ args }: Context, name: string): boolean | undefined {
  const word = args.get(name)
  if (word === undefined || word === 'yes' || word === 'no') return word && word === 'yes'
  throw new UsageError(`--${name}: expected yes or no, received ${JSON.stringify(word)}`)
}

function seconds({ args }: Context, name: string): number | null | undefined {
  const word = args.get(name)
  if (word === undefined) return undefined
  if (word === NONE) return null
  if (/^\d{1,9}$/.test(word)) return Number(word)
  throw new UsageError(`--${name}: expected seconds or ${NONE}, received ${JSON.stringify(word)}`)
}
