import type { OutputOf } from '@quipu/contract'
import type { Command } from '../command.ts'
import { type Column, printList, printRecord, utc } from '../output.ts'

export const partnerCommands: readonly Command[] = [
  {
    name: 'partner list',
    about: 'List the partners of a world.',
    operations: ['listPartners'],
    example: 'quipu partner list',
    run: async (context) => {
      const partners = await context.operator().listPartners({ params: { world: context.config.world } })
      return printList(context, partners, partnerTable, 'no partners')
    },
  },
  {
    name: 'partner create',
    about: 'Create a partner with a key. The secret is shown once. A partner sees the accounts it opens.',
    arguments: [{ name: 'NAME', about: 'Name of the partner.' }],
    operations: ['createPartner'],
    example: 'quipu partner create Acme',
    run: async (context) => {
      const body = { name: context.args.get('NAME')! }
      const params = { world: context.config.world }
      return printRecord(context, await context.operator().createPartner({ params, body }))
    },
  },
]

const partnerTable: readonly Column<OutputOf<'listPartners'>[number]>[] = [
  ['ID', ({ partner_id: id }) => id],
  ['NAME', ({ name }) => name, 12],
  ['ACCOUNTS', ({ accounts }) => accounts, 'right'],
  ['CREATED (UTC)', ({ created_at: at }) => utc(at)?.slice(0, 16)],
]
