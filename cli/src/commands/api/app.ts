import type { OAuthClientSettingsRecord } from '@quipu/contract'
import { calling } from '../call.ts'
import type { CliCommand } from '../command.ts'
import { type Column, done, printList, printRecord, utc } from '../output.ts'
import { secondsOrNone, yesOrNo } from '../values.ts'

const which = { name: 'CLIENT_ID', about: 'Client id of the app.' } as const
const truth = { placeholder: 'yes|no', value: yesOrNo } as const
const lifetime = { placeholder: 'SECONDS', value: secondsOrNone } as const
const words = (separator: RegExp) => (text: string) => text.split(separator).filter((word) => word !== '')

/** The fields of an app. The server checks them. */
const appFlags = {
  redirect: {
    placeholder: 'URI',
    about: 'Redirect URIs, separated by spaces.',
    field: 'redirect_uri',
    value: words(/\s+/),
  },
  scopes: {
    placeholder: 'SCOPE,…',
    about: 'Scopes it may ask for: account:write, trading, data, tokenization. Default: the first three.',
    value: words(/[\s,]+/),
  },
  description: { placeholder: 'TEXT', about: 'What it does, for the consent page.' },
  website: { placeholder: 'URL', about: 'Home page.', field: 'url' },
  terms: { placeholder: 'URL', about: 'Terms of use.', field: 'terms_of_use' },
  privacy: { placeholder: 'URL', about: 'Privacy policy.', field: 'privacy_policy' },
  public: { ...truth, about: 'Public client: no secret, always PKCE. Default: no.' },
  native: { ...truth, about: 'Native app: a loopback redirect may use any port. Default: no.' },
  pkce: {
    ...truth,
    about: 'Require a PKCE challenge for each code. Default: no.',
    field: 'pkce_required',
  },
  'direct-tokens': {
    ...truth,
    about: 'Let partners get tokens for it without a code. Default: yes.',
    field: 'allow_direct_token',
  },
  'token-lifetime': {
    ...lifetime,
    about: 'Lifetime of access tokens; none: until revoked. Default: none.',
    field: 'token_expires_in',
  },
  'refresh-lifetime': {
    ...lifetime,
    about: 'Lifetime of refresh tokens; none: 30 days. Default: none.',
    field: 'refresh_expires_in',
  },
  developer: {
    placeholder: 'USER',
    about: 'User who may connect their own live accounts; none: nobody. Default: none.',
    value: (text: string) => (text === 'none' ? null : text),
  },
  'approve-live': {
    ...truth,
    about: 'Let everyone connect live accounts. Default: no.',
    field: 'live_trading_approved',
  },
} as const

/** A change keeps the fields that it does not name, so the defaults of a new app do not apply. */
const unchangedByDefault = Object.fromEntries(
  Object.entries(appFlags).map(([name, flag]) => [
    name,
    { ...flag, about: flag.about.replace(/ Default: .*$/, '') },
  ]),
)

export const appCommands: readonly CliCommand[] = [
  calling('listOAuthClients', {
    name: 'app list',
    about: 'List the apps of a world, newest first.',
    otherFields: () => ({ limit: 1000 }),
    example: 'quipu app list',
    print: (context, apps) => printList(context, apps, appTable, 'no apps'),
  }),
  calling('getOAuthClientSettings', {
    name: 'app show',
    about: 'Show one app and the ids of its secrets.',
    arguments: [which],
    alsoCalls: ['listOAuthClientSecrets'],
    example: 'quipu app show 7a3c52a910e1dc2abbb14da2b6b8e711',
    print: async (context, app, request) => {
      const secrets = await context.operator().listOAuthClientSecrets(request)
      return printRecord(context, { ...app, secrets })
    },
  }),
  calling('createOAuthClient', {
    name: 'app create',
    about: 'Create an app. The secret is shown once.',
    arguments: [{ name: 'NAME', about: 'Name on the consent page.' }],
    flags: appFlags,
    otherFields: () => ({ redirect_uri: [] }),
    example: 'quipu app create Charts --redirect http://localhost:3000/callback',
  }),
  calling('updateOAuthClient', {
    name: 'app update',
    about: 'Update the given fields of an app.',
    arguments: [which],
    flags: { name: { placeholder: 'TEXT', about: 'New name.' }, ...unchangedByDefault },
    example: 'quipu app update 7a3c52a910e1dc2abbb14da2b6b8e711 --token-lifetime 3600 --pkce yes',
  }),
  calling('updateOAuthClient', {
    name: 'app disable',
    about: 'Disable an app and its tokens, and close its open streams.',
    arguments: [which],
    otherFields: () => ({ status: 'DISABLED' }),
    example: 'quipu app disable 7a3c52a910e1dc2abbb14da2b6b8e711',
  }),
  calling('updateOAuthClient', {
    name: 'app enable',
    about: 'Enable a disabled app again, with the tokens it had.',
    arguments: [which],
    otherFields: () => ({ status: 'ACTIVE' }),
    example: 'quipu app enable 7a3c52a910e1dc2abbb14da2b6b8e711',
  }),
  calling('deleteOAuthClient', {
    name: 'app delete',
    about: 'Delete an app with all its grants.',
    arguments: [which],
    example: 'quipu app delete 7a3c52a910e1dc2abbb14da2b6b8e711',
    print: done('CLIENT_ID', 'deleted'),
  }),
  calling('createOAuthClientSecret', {
    name: 'app rotate-secret',
    about: 'Create a new secret of an app and show it once. Old secrets stay valid.',
    arguments: [which],
    flags: {
      'others-expire-in': {
        placeholder: 'SECONDS',
        about: 'End the old secrets after this time; 0: at once. Default: never.',
        value: (text, flag) => secondsOrNone(text, flag) ?? undefined,
      },
    },
    example: 'quipu app rotate-secret 7a3c52a910e1dc2abbb14da2b6b8e711 --others-expire-in 86400',
  }),
  calling('deleteOAuthClientSecret', {
    name: 'app delete-secret',
    about: 'Delete one secret of an app at once.',
    arguments: [which, { name: 'SECRET_ID', about: 'Id of the secret, from `quipu app show`.' }],
    example: 'quipu app delete-secret 7a3c52a910e1dc2abbb14da2b6b8e711 2f6d1c0b-9a8e-4d7c-b6a5-000000000011',
    print: done('SECRET_ID', 'deleted'),
  }),
]

const appTable: readonly Column<OAuthClientSettingsRecord>[] = [
  ['CLIENT ID', (app) => app.client_id],
  ['NAME', (app) => app.name, 12],
  ['STATUS', (app) => app.status],
  ['TYPE', (app) => (app.public ? 'public' : 'confidential')],
  ['CREATED (UTC)', (app) => utc(app.created_at)?.slice(0, 16)],
]
