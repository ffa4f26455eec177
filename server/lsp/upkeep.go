package lsp

import (
	"context"

	"handrail/lessons"
	"handrail/server"
)

// What keeps a brain in shape, beside the acts on one card.

func (s *session) consolidate(ctx context.Context, _ Nothing) (server.Consolidation, error) {
	b, err := s.opened()
	if err != nil {
		return server.Consolidation{}, err
	}
	return b.Consolidate(ctx)
}

func (s *session) relate(ctx context.Context, r server.RelateRequest) (server.Related, error) {
	b, err := s.opened()
	if err != nil {
		return server.Related{}, err
	}
	return b.Relate(ctx, r)
}

func (s *session) overview(ctx context.Context, _ Nothing) (OverviewResult, error) {
	b, err := s.opened()
	if err != nil {
		return OverviewResult{}, err
	}
	changed, err := b.Overview(ctx)
	return OverviewResult{Path: lessons.OverviewFile, Changed: changed}, err
}

func (s *session) retract(ctx context.Context, p RetractParams) ([]string, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
	return b.Retract(ctx, server.RetractRequest{Origin: p.Origin})
}

func (s *session) episodes(ctx context.Context, p EpisodesParams) ([]server.Episode, error) {
	b, err := s.opened()
	if err != nil {
		return nil, err
	}
	return b.Episodes(ctx, server.EpisodesRequest{ID: p.ID, Limit: p.Limit})
}

func (s *session) forgetEpisodes(ctx context.Context, p ForgetParams) (Nothing, error) {
	b, err := s.opened()
	if err != nil {
		return Nothing{}, err
	}
	return Nothing{}, b.ForgetEpisodes(ctx, p.IDs)
}
