import type { OutputOf } from '@quipu/contract'
import type { Command } from './command.ts'
import { type Column, list, recordLines, utc } from './output.ts'

export const partnerCommands: readonly Command[] = [
  {
    name: 'partner list',
    about: 'List the partners of a world.',
    operations: ['listPartners'],
    example: 'quipu partner list',
    run: async (context) => {
      const partners = await context.operator().listPartners({ params: { world: context.config.world } })
      return list(context, partners, partnerTable, 'no partners')
    },
  },
  {
    name: 'partner create',
    about: 'Create a partner with a key. The secret is shown once. A partner sees the accounts it opens.',
    arguments: [{ name: 'NAME', about: 'Name of the partner.' }],
    operations: ['createPartner'],
    example: 'quipu partner create Acme',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const body = { name: given.get('NAME')! }
      const partner = await operator().createPartner({ params: { world }, body })
      say(json ? JSON.stringify(partner) : recordLines(partner).join('\n'))
      return 0
    },
  },
]

const partnerTable: readonly Column<OutputOf<'listPartners'>[number]>[] = [
  ['ID', ({ partner_id: id }) => id],
  ['ACCOUNTS', ({ accounts }) => accounts, 'right'],
  ['CREATED (UTC)', ({ created_at: at }) => utc(at)?.slice(0, 16)],
  ['NAME', ({ name }) => name],
]
