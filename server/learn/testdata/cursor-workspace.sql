create table ItemTable (key text unique on conflict replace, value blob);
insert into ItemTable values ('composer.composerData', '{"allComposers":[{"composerId":"c1"}]}');
