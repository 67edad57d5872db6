import { readFileSync } from 'node:fs'
import { publicKeyOf } from '../public-key.ts'
import { type Command, UsageError } from './command.ts'
import { present } from './given.ts'
import { columns, recordLines } from './output.ts'

export const keyCommands: readonly Command[] = [
  {
    name: 'key list',
    about: 'List the keys of a world: owner, creation, last use (to the minute) and end. No secrets.',
    operations: ['listKeys'],
    example: 'quipu key list',
    run: async ({ operator, config: { world }, json, say }) => {
      const keys = await operator().listKeys({ params: { world } })
      const rows = keys.map((key) => [
        key.key_id,
        key.kind,
        key.account_id ?? key.issuer ?? key.partner_id ?? '-',
        `created ${key.created_at}`,
        `last used ${key.last_used_at ?? 'never'}`,
        `expires ${key.expires_at ?? 'never'}`,
      ])
      say(json ? JSON.stringify(keys) : columns(rows).join('\n'))
      return 0
    },
  },
  {
    name: 'key create',
    about: 'Makes a key and shows its secret, once.',
    flags: {
      kind: { placeholder: 'account|partner|operator', about: 'Whom it speaks for; account when left out.' },
      account: { placeholder: 'ID', about: 'For an account key; the first account when left out.' },
      partner: { placeholder: 'ID', about: 'For the others; the first partner when left out.' },
      'public-key': {
        placeholder: 'FILE',
        about: 'For the others: its holder signs for tokens instead of sending a secret. PEM or JWK.',
      },
      expires: {
        placeholder: 'TIME',
        about: 'End the key at this time: 2027-01-01T00:00:00Z. Default: no end.',
      },
    },
    operations: ['createKey'],
    example: 'quipu key create --kind partner --public-key machine.pem',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const kind = given.get('kind') as 'account' | 'partner' | 'operator' | undefined
      const body = present({
        kind,
        account_id: given.get('account'),
        partner_id: given.get('partner'),
        public_key: publicKeyIn(given.get('public-key')),
        expires_at: given.get('expires'),
      })
      const key = await operator().createKey({ params: { world }, body })
      say(json ? JSON.stringify(key) : recordLines(key).join('\n'))
      return 0
    },
  },
  {
    name: 'key delete',
    about: 'Withdraws a key at once; its open streams are closed.',
    arguments: [{ name: 'KEY_ID', about: 'Which one.' }],
    operations: ['deleteKey'],
    example: 'quipu key delete PK0123456789ABCDEFGH',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const key_id = given.get('KEY_ID')!
      await operator().deleteKey({ params: { world, key_id } })
      say(json ? JSON.stringify({ key_id, deleted: true }) : `${key_id} is withdrawn`)
      return 0
    },
  },
]

/** Looked at here first: a private key that was named by mistake goes nowhere. */
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
