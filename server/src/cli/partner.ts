import type { Command } from './command.ts'
import { columns, counted, recordLines } from './output.ts'

export const partnerCommands: readonly Command[] = [
  {
    name: 'partner list',
    about: 'Lists the partners of a world.',
    operations: ['listPartners'],
    example: 'quipu partner list',
    run: async ({ operator, config: { world }, json, say }) => {
      const partners = await operator().listPartners({ params: { world } })
      const rows = partners.map(({ partner_id, name, accounts, created_at }) => [
        partner_id,
        counted(accounts, 'account'),
        created_at,
        name,
      ])
      say(json ? JSON.stringify(partners) : columns(rows).join('\n'))
      return 0
    },
  },
  {
    name: 'partner create',
    about: 'Makes a partner and shows its key, once. It sees the accounts it opens itself.',
    arguments: [{ name: 'NAME', about: 'What it is called.' }],
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
