"""Operations on estimates: each file is one question asked of many estimates at once."""
