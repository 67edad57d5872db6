import type { OutputOf } from '@quipu/contract'
import { calling } from '../call.ts'
import { type CliCommand, UsageError } from '../command.ts'
import { type Column, printList, printRecord } from '../output.ts'
import { wholeNumberValue } from '../values.ts'

const which = {
  name: 'ISSUER',
  about: 'Name of the issuer: letters, digits, dots, hyphens and underscores.',
} as const
const grace = {
  placeholder: 'SECONDS',
  about: 'How long the earlier credentials still work. Default: 0.',
  field: 'grace_seconds',
  value: wholeNumberValue,
} as const
const account = { name: 'ACCOUNT_ID', about: 'Account id.' } as const

/** External and built-in token issuers, and their accounts. */
export const issuerCommands: readonly CliCommand[] = [
  calling('listIssuers', {
    name: 'issuer list',
    about: 'List the issuers of a world.',
    example: 'quipu issuer list',
    print: (context, issuers) => printList(context, issuers, issuerTable, 'no issuers'),
  }),
  calling('listIssuers', {
    name: 'issuer show',
    about: 'Show one issuer with its tokens and URLs.',
    arguments: [{ ...which, field: null }],
    example: 'quipu issuer show xstocks',
    print: (context, issuers) => {
      const code = context.args.get('ISSUER')
      const issuer = issuers.find((one) => one.issuer === code)
      if (!issuer) throw new UsageError(`no issuer of this world is called ${code}`)
      return printRecord(context, issuer)
    },
  }),
  calling('createIssuer', {
    name: 'issuer create',
    about:
      'Create an external issuer, or change one. Show its new credential for callbacks once; the earlier ones end.',
    arguments: [which],
    flags: {
      'mint-url': { placeholder: 'URL', about: 'Called to validate a mint.' },
      'confirm-url': {
        placeholder: 'URL',
        about: 'Called when the shares have moved, or the mint was canceled.',
      },
      'connect-url': { placeholder: 'URL', about: 'Called to look up an account by e-mail address.' },
      'tokens-url': { placeholder: 'URL', about: 'Called for the list of tokens.' },
      'custody-url': { placeholder: 'URL', about: 'Called for the account that holds {underlying_symbol}.' },
      'api-key': { placeholder: 'KEY', about: 'Sent as X-API-KEY. Default: calls are signed (RFC 9421).' },
      name: { placeholder: 'NAME', about: 'Name of the issuer.' },
      grace,
    },
    otherFields: ({ args }) => {
      if (args.has('mint-url') && args.has('confirm-url')) return {}
      throw new UsageError('issuer create: expected --mint-url URL and --confirm-url URL')
    },
    example:
      'quipu issuer create st0x --mint-url http://localhost:8000/mint --confirm-url http://localhost:8000/confirm --tokens-url http://localhost:8000/tokens --api-key KEY',
  }),
  calling('createSigningKey', {
    name: 'issuer key',
    about: 'Show the public key that verifies signed calls to issuers. It is created on first use.',
    example: 'quipu issuer key',
  }),
  calling('restoreIssuer', {
    name: 'issuer restore',
    about: 'Make an issuer built in again and end its credentials.',
    arguments: [which],
    flags: { grace },
    example: 'quipu issuer restore st0x',
  }),
  calling('refreshIssuer', {
    name: 'issuer refresh',
    about: 'Reload the tokens of a custom issuer.',
    arguments: [which],
    example: 'quipu issuer refresh st0x',
  }),
  calling('changeIssuer', {
    name: 'issuer configure',
    about: 'Set how a built-in issuer handles requests from now on.',
    arguments: [which],
    flags: {
      outcome: { placeholder: 'WORD', about: 'complete, reject, reject_late, hold, never or late.' },
      delay: {
        placeholder: 'SECONDS',
        about: 'Time from the transfer of the shares to the tokens.',
        field: 'delay_seconds',
        value: wholeNumberValue,
      },
      late: {
        placeholder: 'SECONDS',
        about: 'Delay of the outcome `late`. Default: 3600.',
        field: 'late_seconds',
        value: wholeNumberValue,
      },
      'by-wallet': {
        placeholder: 'WALLET=WORD,…',
        about: 'Other outcomes for single wallets.',
        field: 'wallets',
        value: walletsIn,
      },
    },
    example: 'quipu issuer configure xstocks --outcome hold',
  }),
  calling('listIssuerLinks', {
    name: 'issuer accounts',
    about: 'List the accounts that may mint, by issuer.',
    example: 'quipu issuer accounts',
    print: (context, links) => printList(context, links, linkTable, 'no linked accounts'),
  }),
  calling('createIssuerLink', {
    name: 'issuer link',
    about: 'Let an account mint with an issuer.',
    arguments: [which, account],
    flags: {
      email: { placeholder: 'ADDRESS', about: 'E-mail address for the lookup at the issuer.' },
      'external-id': { placeholder: 'ID', about: 'Id of the account at the issuer, if known.' },
    },
    example: 'quipu issuer link st0x 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --email ap@example.org',
  }),
  calling('deleteIssuerLink', {
    name: 'issuer unlink',
    about: 'Unlink an account. Pending requests still complete.',
    arguments: [which, account],
    example: 'quipu issuer unlink st0x 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    print: ({ args, json, print }) => {
      print(json ? '{}' : `${args.get('ACCOUNT_ID')} is no longer linked to ${args.get('ISSUER')}`)
      return 0
    },
  }),
]

const issuerTable: readonly Column<OutputOf<'changeIssuer'>>[] = [
  ['ISSUER', ({ issuer }) => issuer],
  ['MODE', ({ mode }) => mode],
  ['TOKENS', ({ tokens }) => tokens.length, 'right'],
  ['ACCOUNT', ({ account_id: id }) => id],
  ['NAME', ({ name }) => name, 10],
]

const linkTable: readonly Column<OutputOf<'createIssuerLink'>>[] = [
  ['ACCOUNT', ({ account_id: id }) => id],
  ['ISSUER', ({ issuer }) => issuer],
  ['KIND', ({ kind }) => kind],
  ['STATE', ({ state }) => state],
  ['KNOWN AS', knownAs, 10],
]

function knownAs({ external_id, email, reason }: OutputOf<'createIssuerLink'>): string | undefined {
  return reason ?? external_id ?? email
}

function walletsIn(text: string, flag: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => pair.split('='))
  if (pairs.some(([wallet, word]) => !wallet || !word))
    throw new UsageError(`--${flag}: expected WALLET=WORD,…, received "${text}"`)
  return Object.fromEntries(pairs)
}

/** Tokens that arrived at a redemption wallet and match no account. */
export const unmatchedTransferCommands: readonly CliCommand[] = [
  calling('listUnmatchedTransfers', {
    name: 'unmatched-transfer list',
    about: 'List on-chain transfers that need manual review.',
    example: 'quipu unmatched-transfer list',
    print: (context, transfers) => {
      if (context.json || transfers.length === 0)
        return printList(context, transfers, [], 'no transfers to review')
      // A review needs every field, and the hashes are too wide for a table.
      return printRecord(context, { transfers })
    },
  }),
  calling('resolveUnmatchedTransfer', {
    name: 'unmatched-transfer resolve',
    about: 'Mark an on-chain transfer as reviewed. Nothing moves.',
    arguments: [
      { name: 'NETWORK', about: 'Network.' },
      { name: 'TX_HASH', about: 'Hash of the transaction.' },
      { name: 'LOG_INDEX', about: 'Number of the transfer in its block, from the list.', value: logIndexIn },
    ],
    flags: { note: { placeholder: 'TEXT', about: 'Result of the review, recorded in the journal.' } },
    otherFields: ({ args }) => {
      if (args.get('note')) return {}
      throw new UsageError('unmatched-transfer resolve: expected --note TEXT, the result of the review')
    },
    example: `quipu unmatched-transfer resolve ethereum 0x${'5d'.repeat(32)} 0 --note returned`,
  }),
]

function logIndexIn(text: string): number {
  const index = Number(text)
  if (Number.isSafeInteger(index) && index >= 0) return index
  throw new UsageError(`LOG_INDEX: expected a whole number, received "${text}"`)
}
