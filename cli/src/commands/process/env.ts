import { type OwnerCredentials, readCredentials } from '@quipu/broker/data-folder/owner-file.ts'
import { definedFields } from '@quipu/core/values'
import type { Config } from '@quipu/server/config/config.ts'
import { type CliCommand, type CommandContext, CommandFailed, NoServer, UsageError } from '../command.ts'
import { findServer } from '../find-server.ts'

export const envCommand: CliCommand = {
  name: 'env',
  about: 'Print the server URL and API keys as shell variables.',
  flags: {
    dotenv: { about: 'Print lines of a .env file.' },
    shell: {
      placeholder: 'sh|fish|powershell|cmd',
      about:
        'The shell that reads them. Default: sh. In PowerShell: quipu env --shell powershell | Out-String | Invoke-Expression',
    },
    all: { about: 'Also print the data folder, the operator key, the demo app and the user.' },
  },
  example: 'eval "$(quipu env)"',
  run: async ({ config, args, json, print }) => {
    const lineOf = lineFor(args)
    const variables = variablesOf(config, args.has('all'))
    print(json ? JSON.stringify(variables) : Object.entries(variables).map(lineOf).join('\n'))
    return 0
  },
}

type Variables = Readonly<Record<string, string | undefined>>

/** Variables that official SDKs read, then those of Quipu. */
function variablesOf(config: Config, all: boolean): Readonly<Record<string, string>> {
  const stored: OwnerCredentials = config.data.kind === 'folder' ? readCredentials(config.data.path) : {}
  const url = addressOf(config)
  const { keyId = config.keyId, secretKey = config.secretKey } = stored
  if (keyId === undefined || secretKey === undefined)
    throw new CommandFailed('no keys: start a server on this folder first, or set its folder with --data')
  const variables = {
    APCA_API_KEY_ID: keyId,
    APCA_API_SECRET_KEY: secretKey,
    APCA_API_BASE_URL: url,
    APCA_API_DATA_URL: url,
  }
  if (!all) return definedFields<Variables>(variables)
  return definedFields<Variables>({
    ...variables,
    QUIPU_DATA: folderOf(config),
    ...quipuVariables(stored),
  })
}

/** The folder finds a server even after it was restarted on another port. */
const folderOf = ({ data }: Config): string | undefined => (data.kind === 'folder' ? data.path : undefined)

const quipuVariables = (stored: OwnerCredentials): Variables => ({
  QUIPU_BROKER_KEY: stored.brokerKey,
  QUIPU_BROKER_SECRET: stored.brokerSecret,
  OAUTH_CLIENT_ID: stored.oauthClientId,
  OAUTH_CLIENT_SECRET: stored.oauthClientSecret,
  OAUTH_REDIRECT_URI: stored.oauthRedirectUri,
  APCA_ACCOUNT_ID: stored.accountId,
  APCA_USER_NAME: stored.userName,
  APCA_USER_PASSWORD: stored.userPassword,
})

/** The own address of the running server, or the one that the next start will have. */
function addressOf(config: Config): string {
  try {
    return findServer(config).url
  } catch (error) {
    if (!(error instanceof NoServer) || config.port === 0) throw error
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    return `${config.tls.kind === 'off' ? 'http' : 'https'}://${host}:${config.port}`
  }
}

type Line = (variable: [name: string, value: string]) => string

function lineFor(args: CommandContext['args']): Line {
  const shell = args.get('shell')
  if (args.has('dotenv')) {
    if (shell !== undefined) throw new UsageError('--shell cannot be combined with --dotenv')
    return dotenvLine
  }
  const line = shellLines.get(shell ?? 'sh')
  if (line) return line
  throw new UsageError(
    `--shell: expected ${[...shellLines.keys()].join(', ')}, received ${JSON.stringify(shell)}`,
  )
}

/** How each shell sets a variable for the programs that it starts. */
const shellLines: ReadonlyMap<string, Line> = new Map([
  ['sh', ([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`],
  ['fish', ([name, value]) => `set -gx ${name} '${value.replaceAll(/[\\']/g, String.raw`\$&`)}'`],
  ['powershell', ([name, value]) => `$env:${name} = '${value.replaceAll("'", "''")}'`],
  ['cmd', ([name, value]) => `set "${name}=${value}"`],
])

// Quoted only if necessary: some parsers read quotes as part of the value.
const dotenvLine: Line = ([name, value]) =>
  `${name}=${/^[\w:/.@-]*$/.test(value) ? value : JSON.stringify(value)}`
