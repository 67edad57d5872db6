import type { InputOf, OutputOf } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, UsageError, wholeNumberIn } from '../command.ts'
import { type Column, printList, printRecord } from '../output.ts'

type Code = InputOf<'changeIssuer'>['params']['issuer']
type Outcome = InputOf<'changeIssuer'>['body']['outcome']
type IssuerRecord = OutputOf<'changeIssuer'>

const which = {
  name: 'ISSUER',
  about: 'Name of the issuer: letters, digits, dots, hyphens and underscores.',
} as const
const grace = {
  placeholder: 'SECONDS',
  about: 'How long the earlier credentials still work. Default: 0.',
} as const
const account = { name: 'ACCOUNT_ID', about: 'Account id.' } as const
const codeOf = ({ args }: Context): Code => args.get('ISSUER')! as Code
const inWorld = ({ config: { world } }: Context) => ({ params: { world } })

/** External and built-in token issuers, and their accounts. */
export const issuerCommands: readonly Command[] = [
  {
    name: 'issuer list',
    about: 'List the issuers of a world.',
    operations: ['listIssuers'],
    example: 'quipu issuer list',
    run: async (context) => {
      const issuers = await context.operator().listIssuers(inWorld(context))
      return printList(context, issuers, issuerTable, 'no issuers')
    },
  },
  {
    name: 'issuer show',
    about: 'Show one issuer with its tokens and URLs.',
    arguments: [which],
    operations: ['listIssuers'],
    example: 'quipu issuer show xstocks',
    run: async (context) => {
      const issuers = await context.operator().listIssuers(inWorld(context))
      const issuer = issuers.find((one) => one.issuer === codeOf(context))
      if (!issuer) throw new UsageError(`no issuer of this world is called ${codeOf(context)}`)
      return printRecord(context, issuer)
    },
  },
  {
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
    operations: ['createIssuer'],
    example:
      'quipu issuer create st0x --mint-url http://localhost:8000/mint --confirm-url http://localhost:8000/confirm --tokens-url http://localhost:8000/tokens --api-key KEY',
    run: async (context) => {
      const { args } = context
      const [mint_url, confirm_url] = [args.get('mint-url'), args.get('confirm-url')]
      if (mint_url === undefined || confirm_url === undefined)
        throw new UsageError('issuer create: expected --mint-url URL and --confirm-url URL')
      const body = {
        issuer: codeOf(context),
        mint_url,
        confirm_url,
        ...definedFields({
          connect_url: args.get('connect-url'),
          tokens_url: args.get('tokens-url'),
          custody_url: args.get('custody-url'),
          api_key: args.get('api-key'),
          name: args.get('name'),
          grace_seconds: wholeNumberIn(context, 'grace'),
        }),
      }
      return printRecord(context, await context.operator().createIssuer({ ...inWorld(context), body }))
    },
  },
  {
    name: 'issuer restore',
    about: 'Make an issuer built in again and end its credentials.',
    arguments: [which],
    flags: { grace },
    operations: ['restoreIssuer'],
    example: 'quipu issuer restore st0x',
    run: async (context) => {
      const body = definedFields({ grace_seconds: wholeNumberIn(context, 'grace') })
      return printRecord(context, await context.operator().restoreIssuer({ ...ofIssuer(context), body }))
    },
  },
  {
    name: 'issuer refresh',
    about: 'Reload the tokens of a custom issuer.',
    arguments: [which],
    operations: ['refreshIssuer'],
    example: 'quipu issuer refresh st0x',
    run: async (context) => printRecord(context, await context.operator().refreshIssuer(ofIssuer(context))),
  },
  {
    name: 'issuer configure',
    about: 'Set how a built-in issuer handles requests from now on.',
    arguments: [which],
    flags: {
      outcome: { placeholder: 'WORD', about: 'complete, reject, reject_late, hold, never or late.' },
      delay: { placeholder: 'SECONDS', about: 'Time from the transfer of the shares to the tokens.' },
      late: { placeholder: 'SECONDS', about: 'Delay of the outcome `late`. Default: 3600.' },
      'by-wallet': { placeholder: 'WALLET=WORD,…', about: 'Other outcomes for single wallets.' },
    },
    operations: ['changeIssuer'],
    example: 'quipu issuer configure xstocks --outcome hold',
    run: async (context) => {
      const { args } = context
      const body = definedFields({
        outcome: args.get('outcome') as Outcome | undefined,
        delay_seconds: wholeNumberIn(context, 'delay'),
        late_seconds: wholeNumberIn(context, 'late'),
        wallets: walletsIn(args.get('by-wallet')),
      })
      return printRecord(context, await context.operator().changeIssuer({ ...ofIssuer(context), body }))
    },
  },
  {
    name: 'issuer accounts',
    about: 'List the accounts that may mint, by issuer.',
    operations: ['listIssuerLinks'],
    example: 'quipu issuer accounts',
    run: async (context) => {
      const links = await context.operator().listIssuerLinks(inWorld(context))
      return printList(context, links, linkTable, 'no linked accounts')
    },
  },
  {
    name: 'issuer link',
    about: 'Let an account mint with an issuer.',
    arguments: [which, account],
    flags: {
      email: { placeholder: 'ADDRESS', about: 'E-mail address for the lookup at the issuer.' },
      'external-id': { placeholder: 'ID', about: 'Id of the account at the issuer, if known.' },
    },
    operations: ['createIssuerLink'],
    example: 'quipu issuer link st0x 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --email ap@example.org',
    run: async (context) => {
      const { args } = context
      const body = {
        account_id: args.get('ACCOUNT_ID')!,
        issuer: codeOf(context),
        ...definedFields({ email: args.get('email'), external_id: args.get('external-id') }),
      }
      return printRecord(context, await context.operator().createIssuerLink({ ...inWorld(context), body }))
    },
  },
  {
    name: 'issuer unlink',
    about: 'Unlink an account. Pending requests still complete.',
    arguments: [which, account],
    operations: ['deleteIssuerLink'],
    example: 'quipu issuer unlink st0x 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    run: async (context) => {
      const { world } = context.config
      const account_id = context.args.get('ACCOUNT_ID')!
      await context.operator().deleteIssuerLink({ params: { world, account_id, issuer: codeOf(context) } })
      context.print(context.json ? '{}' : `${account_id} is no longer linked to ${codeOf(context)}`)
      return 0
    },
  },
]

const ofIssuer = (context: Context) => ({
  params: { world: context.config.world, issuer: codeOf(context) },
})

const issuerTable: readonly Column<IssuerRecord>[] = [
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

type Wallets = InputOf<'changeIssuer'>['body']['wallets']

function walletsIn(text: string | undefined): Wallets | undefined {
  if (text === undefined) return undefined
  const pairs = text.split(',').map((pair) => pair.split('='))
  if (pairs.some(([wallet, word]) => !wallet || !word))
    throw new UsageError(`--by-wallet: expected WALLET=WORD,…, received "${text}"`)
  return Object.fromEntries(pairs) as Wallets
}

type Network = InputOf<'resolveUnmatchedTransfer'>['params']['network']

/** Tokens that arrived at a redemption wallet and match no account. */
export const unmatchedTransferCommands: readonly Command[] = [
  {
    name: 'unmatched-transfer list',
    about: 'List on-chain transfers that need manual review.',
    operations: ['listUnmatchedTransfers'],
    example: 'quipu unmatched-transfer list',
    run: async (context) => {
      const transfers = await context
        .operator()
        .listUnmatchedTransfers({ params: { world: context.config.world } })
      if (context.json || transfers.length === 0)
        return printList(context, transfers, [], 'no transfers to review')
      // A review needs every field, and the hashes are too wide for a table.
      return printRecord(context, { transfers })
    },
  },
  {
    name: 'unmatched-transfer resolve',
    about: 'Mark an on-chain transfer as reviewed. Nothing moves.',
    arguments: [
      { name: 'NETWORK', about: 'Network.' },
      { name: 'TX_HASH', about: 'Hash of the transaction.' },
      { name: 'LOG_INDEX', about: 'Number of the transfer in its block, from the list.' },
    ],
    flags: { note: { placeholder: 'TEXT', about: 'Result of the review, recorded in the journal.' } },
    operations: ['resolveUnmatchedTransfer'],
    example: `quipu unmatched-transfer resolve ethereum 0x${'5d'.repeat(32)} 0 --note returned`,
    run: async (context) => {
      const { operator, config, args } = context
      const note = args.get('note')
      if (!note)
        throw new UsageError('unmatched-transfer resolve: expected --note TEXT, the result of the review')
      const log_index = Number(args.get('LOG_INDEX'))
      if (!Number.isSafeInteger(log_index) || log_index < 0)
        throw new UsageError(`LOG_INDEX: expected a whole number, received "${args.get('LOG_INDEX')}"`)
      const network = args.get('NETWORK') as Network
      const params = { world: config.world, network, tx_hash: args.get('TX_HASH')!, log_index }
      return printRecord(context, await operator().resolveUnmatchedTransfer({ params, body: { note } }))
    },
  },
]
