"""Tables behind pictures: curves of models, groups and folds, confusion matrices."""
