import type { Handlers, OutputOf } from '@quipu/contract'
import { formatInstant, found, type Partner, type View } from '@quipu/core'
import { execute, issueKey } from '../../access/issue-keys.ts'
import type { Context } from '../context.ts'
import { worldNamed } from './world-named.ts'

export const partnerHandlers: Handlers<Context, 'listPartners' | 'createPartner'> = {
  listPartners: async ({ params }, context) => {
    const world = worldNamed(params.world, context)
    return context.resultOf(
      world,
      world.read((view) => [...view.partners.values()].map((partner) => partnerToWire(view, partner))),
    )
  },

  createPartner: async ({ params, body }, context) => {
    const world = worldNamed(params.world, context)
    const { partnerId } = await execute(world, { kind: 'addPartner', name: body.name }, 'partnerAdded')
    const { keyId, secretKey } = await issueKey(world, { kind: 'partner', partnerId, operator: false })
    const partner = await context.resultOf(
      world,
      world.read((view) => partnerToWire(view, found(view.partners.get(partnerId), partnerId))),
    )
    return { ...partner, key_id: keyId, secret_key: secretKey }
  },
}

/** Custody accounts of issuers are not counted. */
function partnerToWire(view: View, { id, name, createdAt }: Partner): OutputOf<'listPartners'>[number] {
  let accounts = 0
  for (const { partnerId, issuer } of view.accounts.values())
    if (partnerId === id && issuer === undefined) accounts += 1
  return { partner_id: id, name, accounts, created_at: formatInstant(createdAt) }
}
