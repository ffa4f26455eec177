package lsp

import (
	"context"

	"handrail/lessons"
	"handrail/server"
)

// What keeps a brain in shape, beside the acts on one card.

func (b *brain) consolidate(ctx context.Context, _ Nothing) (server.Consolidation, error) {
	found, err := b.Consolidate(ctx)
	b.s.locale.Reasons(found.Twins)
	return found, err
}

func (b *brain) overview(ctx context.Context, _ Nothing) (OverviewResult, error) {
	changed, err := b.Overview(ctx)
	return OverviewResult{Path: lessons.OverviewFile, Changed: changed}, err
}

func (b *brain) retract(ctx context.Context, p RetractParams) ([]string, error) {
	return b.Retract(ctx, server.RetractRequest{Origin: p.Origin})
}
