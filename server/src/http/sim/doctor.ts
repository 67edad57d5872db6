import { definedFields } from '@quipu/core/values'
import type { SomeHandlers } from '../context.ts'

export const doctorHandlers = {
  async getDoctor(_, { services }) {
    const { version, publicUrl } = services.serverState
    const checks = (await services.monitoring.doctor?.whole(services)) ?? []
    const at = new Date().toISOString()
    return { version, at, ...definedFields({ public_url: publicUrl }), checks }
  },
} satisfies SomeHandlers
