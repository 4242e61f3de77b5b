int plain_value(void);
