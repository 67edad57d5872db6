import { readFileSync } from 'node:fs'
import type { OutputOf } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { publicKeyOf } from '../../access/public-key.ts'
import { type Command, UsageError } from '../command.ts'
import { type Column, printList, printRecord, utc } from '../output.ts'

export const keyCommands: readonly Command[] = [
  {
    name: 'key list',
    about: 'List the keys of a world: owner, creation, last use (to the minute) and end. No secrets.',
    operations: ['listKeys'],
    example: 'quipu key list',
    run: async (context) => {
      const keys = await context.operator().listKeys({ params: { world: context.config.world } })
      return printList(context, keys, keyTable, 'no keys')
    },
  },
  {
    name: 'key create',
    about: 'Create an API key. The secret is shown once.',
    flags: {
      kind: { placeholder: 'account|partner|operator', about: 'What the key acts for. Default: account.' },
      account: { placeholder: 'ID', about: 'Account of an account key. Default: the first account.' },
      partner: { placeholder: 'ID', about: 'Partner of the other kinds. Default: the first partner.' },
      'public-key': {
        placeholder: 'FILE',
        about: 'Public key (PEM or JWK) of the other kinds. The holder signs for tokens; there is no secret.',
      },
      expires: {
        placeholder: 'TIME',
        about: 'End the key at this time: 2027-01-01T00:00:00Z. Default: no end.',
      },
    },
    operations: ['createKey'],
    example: 'quipu key create --kind partner --public-key machine.pem',
    run: async (context) => {
      const { operator, args } = context
      const kind = args.get('kind') as 'account' | 'partner' | 'operator' | undefined
      const body = definedFields({
        kind,
        account_id: args.get('account'),
        partner_id: args.get('partner'),
        public_key: publicKeyIn(args.get('public-key')),
        expires_at: args.get('expires'),
      })
      const params = { world: context.config.world }
      return printRecord(context, await operator().createKey({ params, body }))
    },
  },
  {
    name: 'key delete',
    about: 'Delete a key at once and close its open streams.',
    arguments: [{ name: 'KEY_ID', about: 'Key id.' }],
    operations: ['deleteKey'],
    example: 'quipu key delete PK0123456789ABCDEFGH',
    run: async ({ operator, config: { world }, args, json, print }) => {
      const key_id = args.get('KEY_ID')!
      await operator().deleteKey({ params: { world, key_id } })
      print(json ? JSON.stringify({ key_id, deleted: true }) : `${key_id} is deleted`)
      return 0
    },
  },
]

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
function publicKeyIn(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  const text = contentOf(file)
  const read = publicKeyOf(text)
  if ('problem' in read) throw new UsageError(`--public-key ${file}: ${read.problem}`)
  return text
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--public-key ${file}: ${(error as Error).message}`)
  }
}
