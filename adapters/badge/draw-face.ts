import { makeBadge } from 'badge-maker';
import type { DrawFace } from '../../core/badge/badge-image.ts';

/**
 * Draws with badge-maker. Its version is pinned: another one may draw other bytes, and verifiers compare bytes. It gets no
 * `links`, because with them it drops title and `aria-label` (trust.md §6.2).
 */
export const drawFace: DrawFace = ({ label, message, color }, style) => makeBadge({ label, message, color, style });
