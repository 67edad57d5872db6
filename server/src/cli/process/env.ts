import type { Config } from '../../config/config.ts'
import { type OwnerCredentials, readCredentials } from '../../process/owner-file.ts'
import { type Command, Failed, NoServer } from '../command.ts'
import { findServer } from '../find-server.ts'

export const envCommand: Command = {
  name: 'env',
  about: 'Print the server URL and API keys as shell variables.',
  flags: {
    dotenv: { about: 'Print lines of a .env file.' },
    all: { about: 'Also print the data folder, the operator key, the demo app and the user.' },
  },
  example: 'eval "$(quipu env)"',
  run: async ({ config, given, json, say }) => {
    const variables = variablesOf(config, given.has('all'))
    if (json) say(JSON.stringify(variables))
    else
      say(
        Object.entries(variables)
          .map(given.has('dotenv') ? dotenvLine : shellLine)
          .join('\n'),
      )
    return 0
  },
}

/** Names that official SDKs and programs read, then our own. */
function variablesOf(config: Config, all: boolean): Readonly<Record<string, string>> {
  const stored: OwnerCredentials = config.data.kind === 'folder' ? readCredentials(config.data.path) : {}
  const url = addressOf(config)
  const { keyId = config.keyId, secretKey = config.secretKey } = stored
  if (keyId === undefined || secretKey === undefined)
    throw new Failed('no keys: start a server on this folder first, or name its folder with --data')
  const wanted: Readonly<Record<string, string | undefined>> = {
    APCA_API_KEY_ID: keyId,
    APCA_API_SECRET_KEY: secretKey,
    APCA_API_BASE_URL: url,
    APCA_API_DATA_URL: url,
    ...(all ? { QUIPU_DATA: folderOf(config), ...ownNames(stored) } : {}),
  }
  const present = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(present)
}

/** By its folder a server is found again after it was started on another port. */
const folderOf = ({ data }: Config): string | undefined => (data.kind === 'folder' ? data.path : undefined)

const ownNames = (stored: OwnerCredentials): Readonly<Record<string, string | undefined>> => ({
  QUIPU_BROKER_KEY: stored.brokerKey,
  QUIPU_BROKER_SECRET: stored.brokerSecret,
  OAUTH_CLIENT_ID: stored.oauthClientId,
  OAUTH_CLIENT_SECRET: stored.oauthClientSecret,
  OAUTH_REDIRECT_URI: stored.oauthRedirectUri,
  APCA_ACCOUNT_ID: stored.accountId,
  APCA_USER_NAME: stored.userName,
  APCA_USER_PASSWORD: stored.userPassword,
})

/** The running server's address; without one, the address the next start will have. */
function addressOf(config: Config): string {
  try {
    return findServer(config).url
  } catch (error) {
    if (!(error instanceof NoServer) || config.port === 0) throw error
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    return config.publicUrl ?? `${config.tls.kind === 'off' ? 'http' : 'https'}://${host}:${config.port}`
  }
}

const shellLine = ([name, value]: [string, string]): string =>
  `export ${name}='${value.replaceAll("'", `'\\''`)}'`
// Quotes only where they are needed: some readers of such files take them for a part of the value.
const dotenvLine = ([name, value]: [string, string]): string =>
  `${name}=${/^[\w:/.@-]*$/.test(value) ? value : JSON.stringify(value)}`
