import { definedFields } from '@quipu/core/values'
import type { SomeHandlers } from '../context.ts'

export const doctorHandlers = {
  async getDoctor(_, { services }) {
    const { version, serverState, doctor } = services
    const checks = (await doctor?.whole(services)) ?? []
    const at = new Date().toISOString()
    return { version, at, ...definedFields({ public_url: serverState.publicUrl }), checks }
  },
} satisfies SomeHandlers
