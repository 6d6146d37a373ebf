import { reputationService } from '../../api-server/services/reputation/service.ts';

/** Services that no process serves yet, because nothing sets the parts of their routes: their routes are tested alone. */
export const NOT_SERVED = [reputationService] as const;
