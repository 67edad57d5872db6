import { publicKeyOf } from '@quipu/broker/access/public-key.ts'
import { readCredentials, writeCredentials } from '@quipu/broker/data-folder/owner-file.ts'
import type { OutputOf } from '@quipu/contract'
import { definedFields, entryIn, errorMessage } from '@quipu/core/values'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { folderOfServer, operatorOptions } from '../find-server.ts'
import { type Column, done, printList, utc } from '../output.ts'
import { fileContent } from '../values.ts'

export const keyCommands: readonly CliCommand[] = [
  calling('listKeys', {
    name: 'key list',
    about: 'List the keys of a world: owner, creation, last use (to the minute) and end. No secrets.',
    example: 'quipu key list',
    print: (context, keys) => printList(context, keys, keyTable, 'no keys'),
  }),
  calling('createKey', {
    name: 'key create',
    about: 'Create an API key. The secret is shown once.',
    flags: {
      kind: {
        placeholder: 'account|partner|operator|auditor',
        about: 'What the key acts for. Default: account.',
      },
      account: {
        placeholder: 'ID',
        about: 'Account of an account key. Default: the first account.',
        field: 'account_id',
      },
      partner: {
        placeholder: 'ID',
        about: 'Partner of the other kinds. Default: the first partner.',
        field: 'partner_id',
      },
      'public-key': {
        placeholder: 'FILE',
        about: 'Public key (PEM or JWK) of the other kinds. The holder signs for tokens; there is no secret.',
        value: publicKeyIn,
      },
      expires: {
        placeholder: 'TIME',
        about: 'End the key at this time: 2027-01-01T00:00:00Z. Default: no end.',
        field: 'expires_at',
      },
    },
    example: 'quipu key create --kind partner --public-key machine.pem',
  }),
  calling('deleteKey', {
    name: 'key delete',
    about:
      'Delete a key at once and close its open streams. If credentials.json has it as operator key, it gets the key that ' +
      'deleted it.',
    arguments: [{ name: 'KEY_ID', about: 'Key id.' }],
    example: 'quipu key delete PK0123456789ABCDEFGH',
    print: (context) => {
      replaceNoted(context, entryIn(context.args, 'KEY_ID'))
      return done('KEY_ID', 'deleted')(context)
    },
  }),
]

/** Commands on this machine use the operator key of the data folder, so a deleted one gives way to the key of this command. */
function replaceNoted({ config, note }: CommandContext, deleted: string): void {
  const folder = folderOfServer(config)
  if (folder === undefined) return
  const { brokerKey, brokerSecret: _, ...others } = readCredentials(folder)
  if (brokerKey !== deleted) return
  const { keyId, secretKey } = operatorOptions(config)
  const used = keyId === deleted ? {} : definedFields({ brokerKey: keyId, brokerSecret: secretKey })
  try {
    writeCredentials(folder, { ...others, ...used })
  } catch (error) {
    note(`credentials.json still has the deleted key: ${errorMessage(error)}`)
  }
}

const minute = (timestamp: string | null | undefined): string => utc(timestamp)?.slice(0, 16) ?? 'never'

const keyTable: readonly Column<OutputOf<'listKeys'>[number]>[] = [
  ['KEY ID', (key) => key.key_id],
  ['KIND', (key) => key.kind],
  ['OWNER', (key) => key.account_id ?? key.issuer ?? key.partner_id, 12],
  ['LAST USED (UTC)', (key) => minute(key.last_used_at)],
  ['EXPIRES', (key) => minute(key.expires_at)],
  ['CREATED', (key) => minute(key.created_at)],
]

/** Checked here first, so that a private key that was named by mistake is not sent. */
function publicKeyIn(file: string, flag: string): string {
  const text = fileContent(file, flag)
  const read = publicKeyOf(text)
  if ('problem' in read) throw new UsageError(`--${flag} ${file}: ${read.problem}`)
  return text
}
